# %% [markdown]
# # Which policy fits what I know?
#
# One shop, five learners. All face the same problem and the same noise; they differ only in what
# they are told before they start:
#
# - *which products each promotion can move*: the affected sets, often known by design;
# - *what every product sells if nothing is done*: the baseline, from history;
# - or nothing at all.
#
# The measure is the *regret*: the sales lost so far because the best promotion was not taken from
# the first round on. A learner that has found it stops losing, and its curve becomes flat. There
# are no labels, no training set and no test set: a bandit is scored on what it does while it
# learns.

# %%
import argparse
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import updraft as ud

parser = argparse.ArgumentParser(description="Which policy fits what I know?")
parser.add_argument("--out", default=".", help="folder for the figure; the current one")
options = parser.parse_args([] if "ipykernel" in sys.modules else None)
out = pathlib.Path(options.out)
out.mkdir(parents=True, exist_ok=True)

# %% [markdown]
# ## The shop
#
# An *instance* says what is true: 60 products, eight promotions on five of them each, and noise
# with standard deviation 1 and correlation 0.4 between any two products: good days are good for
# all. The simulation knows all of it; the learners know only what they are told.

# %%
USUAL = np.repeat([3.0, 2.0, 1.0], 20)                       # sales per round if nothing is done
EXTRA = [0.5, 0.6, 0.9, 0.4, 0.7, 0.3, 0.5, 0.2]             # per affected product
touched = [range(7 * k, 7 * k + 5) for k in range(8)]
shop = ud.instance({
    "format": "updraft-instance/1",
    "name": "shop",
    "actions": [f"promotion {k}" for k in range(8)],
    "variables": [{"count": 20, "baseline": level} for level in (3.0, 2.0, 1.0)],
    "effects": [
        {
            "action": f"promotion {k}",
            "variables": [[products[0], products[-1] + 1]],
            "means": list(USUAL[products] + EXTRA[k]),
        }
        for k, products in enumerate(touched)
    ],
    "noise": {"kind": "gaussian", "covariance": {"factor": 0.4}},
})
print(f"{shop}, best action: {shop.best_action}")
assert shop.max_affected == 5

# %% [markdown]
# ## What `auto` picks
#
# `auto` is a policy's name like any other. It looks at what is known and picks the policy that
# makes the most of it; `tell` limits what the simulation tells. Outside a simulation it is the
# same: `ud.policy("auto", actions=8, variables=60)`. The last row is a policy of the paper with the
# parameter, alpha, that its theorem gives. It knows L, the largest number of products that a
# promotion moves, and the number of rounds, the horizon.

# %%
ROUNDS, RUNS = 5000, 40
KNOWN = {
    "affected sets, baseline": ("auto", ["affected", "baseline"]),
    "affected sets": ("auto", ["affected"]),
    "baseline": ("auto", ["baseline"]),
    "nothing": ("auto", []),
    "L, by theory": ("up_ucb_l(delta=0.05)", ["max_affected", "horizon"]),
}
results = {
    known: ud.simulate(shop, policy, rounds=ROUNDS, runs=RUNS, seed=1, tell=tell)
    for known, (policy, tell) in KNOWN.items()
}
print(f"\nmean regret after {ROUNDS} rounds, {RUNS} runs, nothing tuned")
for known, r in results.items():
    print(f"  {known:24} {r['policy'][0]:24} {r['mean'][0]:6.0f} ± {r['stderr'][0]:3.0f}")
picks = [r["policy"][0].split("(")[0] for r in results.values()]
assert picks == ["up_ts_bl", "up_ts", "up_ts_sparse_bl", "up_ts_sparse", "up_ucb_l"], picks

alone = ud.policy("auto", actions=8, variables=60)
assert alone.spec == results["nothing"]["policy"][0], "outside a simulation the pick is the same"

# %% [markdown]
# Every missing piece of knowledge has a cost. Not knowing the baseline costs little, because the
# rounds of other promotions show it. Not knowing the sets costs more: the learner must first find
# out which of 60 products a promotion moves. But that costs far less than an alpha that holds for
# the worst case.

# %%
regret = [r["mean"][0] for r in results.values()]
assert regret[1] < 1.5 * regret[0], "the baseline should be cheap to learn"
assert regret[3] > regret[1], "the sets should cost something to learn"
assert regret[4] > 3 * regret[3], "the theorem's alpha should cost much more"

# %% [markdown]
# ## And with a better alpha?
#
# Here is the policy of the paper with the best of six alphas, which only hindsight knows:

# %%
print("\nwith the best of six alphas in hindsight")
specs = [f"up_ucb_l(alpha={alpha})" for alpha in (0.1, 0.3, 1, 3, 6, 9)]
r = ud.simulate(shop, specs, rounds=ROUNDS, runs=RUNS, seed=1)
best = r["mean"].argmin()
print(f"  {r['policy'][best]:24} {r['mean'][best]:6.0f} ± {r['stderr'][best]:3.0f}")
assert r["mean"][best] > regret[1], "even so, the policies that know the sets should lose less"

# %% [markdown]
# ## The figure
#
# Mean over the runs, and a band of two standard errors. The scale is logarithmic, or the two best
# would lie on the axis. The colours are Okabe and Ito's, which colour-blind people can tell apart.

# %%
COLOURS = ["#0072B2", "#56B4E9", "#009E73", "#E69F00", "#D55E00"]
NUDGE = [-7, 7, -7, 7, 0]                                    # points; two pairs are neighbours
figure, axes = plt.subplots(figsize=(9, 4.8), constrained_layout=True)
for (known, r), colour, nudge in zip(results.items(), COLOURS, NUDGE):
    rounds, mean, error = r["curve_round"], r["curve_mean"][0], 2 * r["curve_stderr"][0]
    axes.plot(rounds, mean, color=colour, linewidth=2)
    axes.fill_between(rounds, np.maximum(mean - error, 1), mean + error, color=colour, alpha=0.25)
    label = f"{known} ({r['policy'][0].split('(')[0]})"
    axes.annotate(label, (ROUNDS, mean[-1]), (8, nudge), textcoords="offset points", va="center")
axes.set_yscale("log")
axes.yaxis.set_major_formatter("{x:,.0f}")
axes.xaxis.set_major_formatter("{x:,.0f}")
axes.set_xlim(0, ROUNDS)
axes.set_xlabel("round")
axes.set_ylabel("regret so far, units of sales")
axes.set_title("What the learner is told decides what it loses", loc="left")
axes.grid(alpha=0.3)
axes.spines[["top", "right"]].set_visible(False)
path = out / "which-policy.png"
figure.savefig(path, dpi=120)
print(f"\nfigure: {path}")
