# %% [markdown]
# # Your first policy, from a numpy array
#
# A shop has a table of past sales, one row per day and one column per product, and five promotions
# to choose from, one per day. Which one sells most? Trying each for a month and comparing the
# totals is slow: the weather moves the total far more than a promotion does.
#
# The solution is to look at single products. A promotion moves only a few of them, and history
# shows what they sell without one. What they sell beyond that is the *uplift*. A *policy* learns
# the uplifts from day to day, and gives up bad promotions early. It has two methods that
# matter: `select()` says what to do today, and `update()` takes the sales that resulted.

# %%
import argparse
import pathlib
import sys

import numpy as np

import updraft as ud

parser = argparse.ArgumentParser(description="Your first policy, from a numpy array.")
parser.add_argument("--out", default=".", help="folder for the saved policy; the current one")
options = parser.parse_args([] if "ipykernel" in sys.modules else None)
out = pathlib.Path(options.out)
out.mkdir(parents=True, exist_ok=True)

# %% [markdown]
# ## The shop
#
# The shop is invented, so that this script can say how good its decisions were: 30 products, days
# that are good or bad for all of them, and promotions whose effect is written below. Policies
# never see `EXTRA`. With a shop of your own, `sales()` is your till.

# %%
PRODUCTS, DAYS = 30, 150
USUAL = np.random.default_rng(7).uniform(20, 80, PRODUCTS)   # units per day
NAMES = ["coffee", "bakery", "snacks", "drinks", "lunch"]
TOUCHED = [[0, 1, 2], [3, 4, 5, 6], [7, 8, 9], [10, 11, 12], [1, 4, 13, 14]]
EXTRA = [[3, 2, 2], [3, 3, 2, 3], [4, 4, 3], [6, 5, 5], [2, 5, 6, -1]]   # units per product
UPLIFT = np.array([sum(extra) for extra in EXTRA])


def sales(run, day, promotion=None):
    """What every product sells on a day. All policies of a run meet the same days."""
    rng = np.random.default_rng([run, day])
    weather = rng.normal()
    units = USUAL * (1 + 0.15 * weather) + rng.normal(0, 4, PRODUCTS)
    if promotion is not None:
        units[TOUCHED[promotion]] += EXTRA[promotion]
    return units


# %% [markdown]
# ## Yesterdays' sales give the baseline
#
# The table is a plain array, days x products. Its column means are the *baseline*: what each
# product sells if nothing is done.

# %%
history = np.array([sales(0, day) for day in range(365)])
baseline = history.mean(axis=0)
noise = history.sum(axis=1).std()
print(f"history: {history.shape[0]} days x {history.shape[1]} products")
print(f"total per day: {history.sum(axis=1).mean():.0f} units, standard deviation {noise:.0f}")
print(f"the best promotion sells {UPLIFT.max()} units more, the second best {np.sort(UPLIFT)[-2]}")
assert noise > 5 * UPLIFT.max(), "the weather should hide the promotions in the total"

# %% [markdown]
# ## The days
#
# Which products a promotion touches is known by design, so we tell the policy these products and
# the baseline. `up_ts_bl` is the policy that fits this knowledge, and it has nothing to tune.


# %%
def play(spec, run):
    """A policy that has made all decisions of a run and learnt from them."""
    policy = ud.policy(
        spec, actions=len(NAMES), variables=PRODUCTS, affected=TOUCHED, baseline=baseline
    )
    for day in range(DAYS):
        promotion = policy.select()
        policy.update(promotion, sales(run, day, promotion))
    return policy


policy = play("up_ts_bl", 1)
print(policy)

# %% [markdown]
# ## What it estimates, and why
#
# `explain()` has an estimate for each promotion, a 95 % interval and the posterior probability that
# it is the best. Promotions that were soon given up keep wide intervals: nobody needs to know
# exactly how bad they are. The last column is the truth, which is known only because the shop is
# invented.
#
# Intervals assume that the baseline is exact. Ours is a mean of 365 days, and off by a unit or two
# for the products of a promotion; so are the estimates. Here the error has the same sign for all
# promotions and hardly changes their order. If the baseline is in doubt, leave it out: `up_ts`
# learns it on the way.

# %%
estimates = policy.explain()
print(f"{'promotion':10} {'days':>5} {'uplift':>7} {'interval':>17} {'best?':>6} {'truth':>6}")
for a, name in enumerate(NAMES):
    low, high = estimates["interval"][a]
    print(
        f"{name:10} {policy.pulls[a]:5d} {estimates['uplift'][a]:7.1f} {low:8.1f} to {high:5.1f}"
        f" {estimates['probability_best'][a]:6.2f} {UPLIFT[a]:6d}"
    )
best = int(UPLIFT.argmax())
off = np.array([(baseline - USUAL)[touched].sum() for touched in TOUCHED])
print(f"the baseline is off by {off[best]:.1f} units for the products of {NAMES[best]}")
assert (off < 0).all() and (off > -2.5).all(), "off by a unit or two, all to the same side"
assert policy.pulls.argmax() == best, "the best promotion should have been taken most"
assert policy.pulls[best] > DAYS / 2, "and on more than half of the days"

# %% [markdown]
# ## Save and load
#
# The program may end tonight and continue tomorrow. A loaded policy makes the same next decisions.

# %%
file = out / "first.policy"
ud.save(policy, file)
again = ud.load(file)
assert again.select() == policy.select(), "a loaded policy decides like the saved one"
print(f"saved: {file}")

# %% [markdown]
# ## What was gained
#
# One run may be luck, so here are 20 runs on other days. `ucb` is the classic bandit that
# sees only the day's total. It has a parameter, alpha, and gets the best of four in hindsight, an
# advantage that it never has in practice. The best fixed promotion is what somebody who knew the
# truth would run every day. We count true uplifts, not sales, so that the weather does not matter.

# %%
RUNS = range(2, 22)
specs = ["up_ts_bl", "ucb(alpha=0.1)", "ucb(alpha=1)", "ucb(alpha=10)", "ucb(alpha=100)"]
units = np.array([[play(spec, run).pulls @ UPLIFT for run in RUNS] for spec in specs])
uplift_policy, plain = units[0], max(units[1:], key=np.mean)

for name, units in [
    ("best fixed promotion", np.full(len(RUNS), DAYS * UPLIFT.max())),
    ("up_ts_bl, by product", uplift_policy),
    ("ucb, on the total", plain),
    ("a promotion at random", np.full(len(RUNS), DAYS * UPLIFT.mean())),
]:
    error = units.std(ddof=1) / np.sqrt(len(units))
    print(f"{name:22} {units.mean():6.0f} ± {error:3.0f} units in {DAYS} days")


def share(units):
    """The position between chance (0) and the best fixed promotion (1)."""
    return (units.mean() / DAYS - UPLIFT.mean()) / (UPLIFT.max() - UPLIFT.mean())


print("from chance to the best fixed promotion")
print(f"  up_ts_bl goes {share(uplift_policy):.0%} of the way, ucb {share(plain):.0%}")
assert share(uplift_policy) > 0.5, "looking at products should win more than half of it"
assert share(plain) < share(uplift_policy) / 2, "the total alone should win less than half of that"
