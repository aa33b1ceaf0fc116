#!/usr/bin/env python3
"""Plays claims 4 and 5 of the paper on instances other than `gaussian`, one row of a table each.

The paper does not print its Gaussian instance: K = 10, m = 100, L = 10, means in [0, 1], a smallest gap
of about 0.2 and one covariance for all actions leave much open. CASES lists what was tried; each is
drawn anew from its seed, written as a JSON instance beside an experiment, and played by `updraft run`.
docs/results/claims-4-and-5.md has the results.

  bench/claims_4_and_5.py --updraft build/updraft --out build/claims           # all, 20 runs
  bench/claims_4_and_5.py --only positive --claim 5 --rounds 200000 --runs 10
  bench/claims_4_and_5.py --list
  bench/claims_4_and_5.py --batches FOLDER         # of `updraft run baseline-bound --runs 1000`
  bench/claims_4_and_5.py --above 40000 FOLDER     # of `updraft run misspecified-l --rounds 200000`
"""

import argparse
import csv
import json
import math
import pathlib
import random
import subprocess

K, M, L = 10, 100, 10
ALPHAS = list(range(1, 11))


# Means: (baseline of a variable, mean of a variable that an action affects, variables to choose from).

def mixed_mean(rng, baseline):
    """Uniform on [0, 1], not closer to the baseline than 0.1: as in `gaussian`."""
    while True:
        mean = rng.random()
        if abs(mean - baseline) >= 0.1:
            return mean


def raised_mean(rng, baseline):
    return rng.uniform(baseline + 0.1, 1)


MEANS = {
    "gaussian": None,  # the shipped ones
    "positive": (lambda rng: rng.uniform(0, 0.5), raised_mean, M),
    "negative": (lambda rng: rng.uniform(0.5, 1), lambda rng, b: rng.uniform(0, b - 0.1), M),
    "small": (lambda rng: rng.uniform(0, 0.9), lambda rng, b: b + rng.uniform(0, 0.1), M),
    "uneven": (lambda rng: 0.1, lambda rng, b: b + 0.9 * rng.random() ** 4, M),
    "overlap": (lambda rng: rng.random(), mixed_mean, 15),
    "overlap-positive": (lambda rng: rng.uniform(0, 0.5), raised_mean, 15),
}


def draw(kind, seed):
    """The first draw whose smallest gap is 0.2 +- 0.02: baselines, affected sets, means."""
    baseline_of, mean_of, pool = MEANS[kind]
    for attempt in range(100_000):
        rng = random.Random(seed * 100_003 + attempt)
        baseline = [baseline_of(rng) for _ in range(M)]
        sets = [sorted(rng.sample(range(pool), L)) for _ in range(K)]
        means = [[mean_of(rng, baseline[i]) for i in ids] for ids in sets]
        uplifts = sorted(sum(m - baseline[i] for m, i in zip(row, ids)) for row, ids in zip(means, sets))
        if 0.18 <= uplifts[-1] - uplifts[-2] <= 0.22:
            return baseline, sets, means
    raise SystemExit(f"{kind}: no draw has a smallest gap of 0.2")


# Noise: unit variances, but for "shared", one draw that all affected variables get.

def matrix(entry):
    return [[entry(i, j) for j in range(M)] for i in range(M)]


def low_rank(rank=3, share=0.9, seed=5):
    """Three common factors with random loadings make up 0.9 of every variance."""
    rng = random.Random(seed)
    loadings = []
    for _ in range(M):
        row = [rng.gauss(0, 1) for _ in range(rank)]
        size = math.sqrt(sum(x * x for x in row))
        loadings.append([x / size for x in row])
    return matrix(lambda i, j: 1.0 if i == j else
                  share * sum(a * b for a, b in zip(loadings[i], loadings[j])))


NOISE = {
    "equicorrelated": lambda: {"factor": 6300 / 9900},  # sd 80 in total: `gaussian`
    "independent": lambda: "identity",
    "block": lambda: matrix(lambda i, j: 1.0 if i == j else 0.9 if i // 10 == j // 10 else 0.0),
    "toeplitz": lambda: matrix(lambda i, j: 0.98 ** abs(i - j)),
    "low-rank": low_rank,
    "shared": lambda: "shared-by-affected",
}

CASES = [
    ("gaussian", "equicorrelated"), ("gaussian", "independent"), ("gaussian", "block"),
    ("gaussian", "toeplitz"), ("gaussian", "low-rank"), ("gaussian", "shared"),
    ("positive", "equicorrelated"), ("negative", "equicorrelated"), ("small", "equicorrelated"),
    ("uneven", "equicorrelated"), ("overlap", "equicorrelated"), ("overlap-positive", "equicorrelated"),
    ("positive", "independent"), ("positive", "block"),
]

POLICIES = {
    4: [("bUCB", "up_ucb(baseline_bound=ucb)"), ("bLCB", "up_ucb(baseline_bound=lcb)")],
    5: [(f"L = {most}", f"up_ucb_l_bl(max_affected={most})") for most in (5, 8, 10, 15)],
}


def write_instance(updraft, folder, means, noise, seed):
    exported = subprocess.run([updraft, "instance", "gaussian", "--export"], check=True,
                              capture_output=True, text=True)
    instance = json.loads(exported.stdout)
    instance["name"] = f"{means}, {noise}"
    if MEANS[means]:
        baseline, sets, rows = draw(means, seed)
        instance["variables"] = [{"count": 1, "baseline": b} for b in baseline]
        instance["effects"] = [{"action": instance["actions"][a], "variables": [[i, i + 1] for i in sets[a]],
                                "means": rows[a]} for a in range(K)]
    instance["noise"] = {"kind": "gaussian", "covariance": NOISE[noise]()}
    path = folder / f"{means}-{noise}.json"
    path.write_text(json.dumps(instance))
    return path


def play(options, means, noise, claim):
    """Regrets by label and alpha, and mean regrets half way."""
    folder = pathlib.Path(options.out)
    folder.mkdir(parents=True, exist_ok=True)
    instance = write_instance(options.updraft, folder, means, noise, options.instance_seed)
    policies = [one for one in POLICIES[claim] if not options.policies or one[0] in options.policies]
    name = f"{means}-{noise}-claim-{claim}"
    toml = folder / f"{name}.toml"
    toml.write_text(f'name = "{name}"\ntitle = "Claim {claim}: {means} means, {noise} noise"\n'
                    f'instance = "{instance.name}"\nrounds = {options.rounds}\nruns = {options.runs}\n'
                    + "".join(f'\n[[policy]]\nspec = "{spec}"\nlabel = "{label}"\nalpha = {ALPHAS}\n'
                              for label, spec in policies))
    results = folder / f"{name}-{options.rounds}-{options.runs}"
    subprocess.run([options.updraft, "run", toml, "--quiet", "--threads", str(options.threads),
                    "--out", results], check=True, stdout=subprocess.DEVNULL)
    half = {}
    with open(results / "curves.csv") as file:
        for row in csv.DictReader(file):
            if int(row["round"]) == options.rounds // 2:
                half[row["label"], float(row["value"])] = float(row["mean"])
    return regrets_in(results), half


def regrets_in(results):
    """The final regrets of a results folder: by label and alpha, a list over the runs."""
    regrets = {}
    with open(results / "final.csv") as file:
        for row in csv.DictReader(file):
            regrets.setdefault((row["label"], float(row["value"])), []).append(float(row["regret"]))
    return regrets


def summary(values):
    """Mean, standard deviation, 95th percentile."""
    mean = sum(values) / len(values)
    sd = math.sqrt(sum((x - mean) ** 2 for x in values) / (len(values) - 1))
    place = 0.95 * (len(values) - 1)
    ordered = sorted(values) + [max(values)]
    at = int(place)
    return mean, sd, ordered[at] + (place - at) * (ordered[at + 1] - ordered[at])


def rows_of(regrets, half, by):
    """For each policy the alpha of the least mean + sd, or of the least mean, and what it comes to."""
    rows = []
    for label in dict.fromkeys(label for label, _ in regrets):
        scores = {}
        for (of, alpha), values in regrets.items():
            mean, sd, _ = summary(values)
            if of == label:
                scores[alpha] = mean if by == "mean" else mean + sd
        alpha = min(scores, key=lambda a: (scores[a], a))
        mean, sd, tail = summary(regrets[label, alpha])
        rows.append((label, alpha, mean, sd / math.sqrt(len(regrets[label, alpha])), tail,
                     mean / half[label, alpha] - 1))
    return rows


def tuned(regrets, label, runs):
    """The alpha of the least mean + sd over these runs, with mean and 95th percentile."""
    return min((mean + sd, alpha, mean, tail) for (of, alpha), values in regrets.items() if of == label
               for mean, sd, tail in [summary([values[run] for run in runs])])[1:]


def ratios(regrets, runs):
    """Tuned by these runs: the two alphas, the ratios of means and of 95th percentiles, bLCB to bUCB."""
    upper, lower = (tuned(regrets, label, runs) for label in ("UpUCB-bUCB", "UpUCB-bLCB"))
    return upper[0], lower[0], lower[1] / upper[1], lower[2] / upper[2]


def print_batches(results, size=100, resamples=1000):
    """Claim 4 by batches of 100 runs, and by resamples of all of them, tuned each time."""
    regrets = regrets_in(results)
    count = len(next(iter(regrets.values())))
    print("| batch | alpha of bUCB | alpha of bLCB | ratio of means | ratio of 95th percentiles |")
    print("|---:|---:|---:|---:|---:|")
    for first in range(0, count, size):
        upper, lower, means, tails = ratios(regrets, range(first, min(first + size, count)))
        print(f"| {first // size + 1} | {upper:g} | {lower:g} | {means:.2f} | {tails:.2f} |", flush=True)
    rng = random.Random(1)
    drawn = [ratios(regrets, rng.choices(range(count), k=count)) for _ in range(resamples)]
    tails = sorted(tails for _, _, _, tails in drawn)
    chosen = {alpha: sum(lower == alpha for _, lower, _, _ in drawn) / resamples for alpha in ALPHAS}
    print(f"\nResampled: 95 % of the ratios of 95th percentiles from {tails[resamples // 40]:.2f} to "
          f"{tails[-1 - resamples // 40]:.2f}; alpha of bLCB",
          ", ".join(f"{alpha} in {share:.0%}" for alpha, share in chosen.items() if share > 0))


def print_above(results, limit):
    """How many runs end above the limit, for each policy and alpha."""
    regrets = regrets_in(results)
    print("| alpha | " + " | ".join(map(str, ALPHAS)) + " |\n|---|" + "---:|" * len(ALPHAS))
    for label in dict.fromkeys(label for label, _ in regrets):
        counts = [sum(x > limit for x in regrets[label, alpha]) for alpha in ALPHAS]
        print(f"| {label} | " + " | ".join(map(str, counts)) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--updraft", default="build/updraft")
    parser.add_argument("--out", default="build/claims")
    parser.add_argument("--claim", type=int, choices=(4, 5), action="append")
    parser.add_argument("--only", nargs="+", help="means, or MEANS/NOISE")
    parser.add_argument("--policies", nargs="+", help="labels, such as 'L = 5'")
    parser.add_argument("--rounds", type=int, default=20_000)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--instance-seed", type=int, default=1)
    parser.add_argument("--tune", choices=("mean+sd", "mean"), default="mean+sd")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--batches", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--above", nargs=2, metavar=("REGRET", "FOLDER"))
    options = parser.parse_args()
    if options.batches:
        print_batches(options.batches)
        return
    if options.above:
        print_above(pathlib.Path(options.above[1]), float(options.above[0]))
        return
    cases = [one for one in CASES
             if not options.only or one[0] in options.only or "/".join(one) in options.only]
    if options.list:
        print("\n".join("/".join(one) for one in cases))
        return
    print("| means | noise | policy | alpha | mean regret ± s.e. | 95th percentile | growth |")
    print("|---|---|---|---:|---:|---:|---:|")
    for means, noise in cases:
        for claim in options.claim or (4, 5):
            for label, alpha, mean, error, tail, growth in rows_of(*play(options, means, noise, claim),
                                                                   options.tune):
                print(f"| {means} | {noise} | {label} | {alpha:g} | {mean:,.0f} ± {error:,.0f} | "
                      f"{tail:,.0f} | {growth:.2f} |", flush=True)


if __name__ == "__main__":
    main()
