# %% [markdown]
# # Targeting on a CSV file
#
# Two e-mails were sent at random to some of 600 customers: news, a discount, or none. Now 50
# customers come by in each round, and five of them may get a mail. Who should get one, and which?
# Not the customer who buys most, but the one whom a mail *moves*.
#
# How good is such targeting? There are two honest ways to find out, and they answer different
# questions:
#
# 1. **From the log alone.** It shows what customers did with the mail that they got, never
#    what they would have done with another. Because mails went out at random, those who got one and
#    those who did not can be compared, and no model is needed. But 600 rows say little.
# 2. **From a simulated response.** A model fitted to the log answers "what if" for everybody. Then
#    policies can run for as long as one likes, but the results are true for the model, and for
#    customers only as far as the model is.

# %%
import argparse
import csv
import pathlib
import sys

import numpy as np

import updraft as ud

here = pathlib.Path(globals().get("__file__", "examples/python/notebook")).resolve().parent
parser = argparse.ArgumentParser(description="Targeting on a CSV file.")
parser.add_argument("--data", default=here.parent / "targeting" / "shop.csv", help="the table")
parser.add_argument("--out", default=".", help="folder for the saved policy; the current one")
options = parser.parse_args([] if "ipykernel" in sys.modules else None)
if not pathlib.Path(options.data).is_file():
    parser.error(f"--data {options.data}: no such file")
out = pathlib.Path(options.out)
out.mkdir(parents=True, exist_ok=True)

# %% [markdown]
# ## The table
#
# `examples/targeting/shop.csv` is an invented table in the usual form: `mail` is the treatment and
# `bought` is the outcome. Features are scaled to about 1. Regions become columns of 0 and 1, and
# one of them is left out because there is a constant. Treatments are numbers; 0 means no mail.

# %%
with open(options.data, newline="", encoding="utf-8") as file:
    rows = list(csv.DictReader(file))
MAILS = ["none", "discount", "news"]
age = np.array([float(row["age"]) for row in rows])
orders = np.array([float(row["orders"]) for row in rows])
regions = [[float(row["region"] == region) for region in ("north", "south")] for row in rows]
X = np.column_stack([np.ones(len(rows)), age / age.max(), orders / orders.max(), regions])
z = np.array([MAILS.index(row["mail"]) for row in rows])
y = np.array([float(row["bought"]) for row in rows])
print(f"{len(rows)} customers, {X.shape[1]} features with the constant")

# %% [markdown]
# ## 1. What the log says by itself
#
# Chance decided who got which mail, and the table shows the probabilities. Divide every purchase by
# the share of customers who got the same mail. Then the mean over all customers, with the mail
# minus without, is right on average, for any group of customers (*inverse propensity weighting*).

# %%
share = np.bincount(z, minlength=3) / len(z)
print("sent:", ", ".join(f"{name} {part:.0%}" for name, part in zip(MAILS, share)))


def uplift_in_log(who, mail):
    """Mean uplift of sending each of these customers this mail, and its standard error."""
    terms = y[who] * ((z[who] == mail) / share[mail] - (z[who] == 0) / share[0])
    return terms.mean(), terms.std(ddof=1) / np.sqrt(len(who))


everybody = np.arange(len(rows))
for mail in (1, 2):
    mean, error = uplift_in_log(everybody, mail)
    print(f"log: {MAILS[mail]:8} to everybody: {mean:+.3f} ± {error:.3f} purchases per customer")

# %% [markdown]
# The same for those whom a policy would choose. It learns from one half of the rows and chooses 60
# of the other, then the other way round: judged on rows that it was shown, it would look better
# than it is. `update()` takes what was done and what came of it, which does not have to be the
# policy's own choice. `greedy` goes by its estimates and does not explore.

# %%
mixed = np.random.default_rng(1).permutation(len(rows))
chosen, sent = [], []
for shown, kept in [(mixed[:300], mixed[300:]), (mixed[300:], mixed[:300])]:
    learner = ud.targeting("greedy(model=logistic)", features=X.shape[1], budget=60, treatments=2)
    learner.update(X[shown], z[shown], y[shown])
    mails = learner.select(X[kept])
    chosen.extend(kept[mails > 0])
    sent.extend(mails[mails > 0])
chosen, sent = np.array(chosen), np.array(sent)
targeted, error = uplift_in_log(chosen, sent)
untargeted = np.mean([uplift_in_log(everybody, mail)[0] for mail in (1, 2)])
print(f"log: {len(chosen)} chosen customers:  {targeted:+.3f} ± {error:.3f}")
assert abs(targeted - untargeted) < 2 * error, "the log should be too small to tell"

# %% [markdown]
# Mails probably work on the whole. The log does not show that the chosen customers are moved more
# than others: the error is nearly as large as the quantity to be measured. To report the number
# without its error is to report luck, good or bad. More rows would help, and a policy that learns
# collects them.
#
# ## 2. A simulated response
#
# One logistic regression per mail, fitted to all rows, says how likely everybody is to buy with
# each mail. **From here on these models simulate the customers.** The gains of policies follow from
# the models and were measured on nobody. They are probably too large: fitted uplifts contain the
# noise of the fit, so they differ more between customers than true uplifts do.


# %%
def fit_logistic(X, y, ridge=1.0):
    """Penalised maximum likelihood by Newton's method."""
    theta = np.zeros(X.shape[1])
    for _ in range(30):
        p = 1 / (1 + np.exp(-X @ theta))
        hessian = (X * (p * (1 - p))[:, None]).T @ X + ridge * np.eye(len(theta))
        theta += np.linalg.solve(hessian, X.T @ (y - p) - ridge * theta)
    return theta


thetas = [fit_logistic(X[z == mail], y[z == mail]) for mail in range(3)]
response = 1 / (1 + np.exp(-X @ np.transpose(thetas)))       # customers x mails, none included
true_uplift = response[:, 1:] - response[:, :1]              # true in the simulation
ROUNDS, POOL, BUDGET = 400, 50, 5


class Oracle:
    """Sends the mails with the largest true uplifts, which only a simulation knows."""

    def select(self, X):
        response = 1 / (1 + np.exp(-X @ np.transpose(thetas)))
        uplift, mails = response[:, 1:] - response[:, :1], np.zeros(len(X), dtype=int)
        best = np.argsort(-uplift.max(axis=1))[:BUDGET]
        mails[best] = 1 + uplift[best].argmax(axis=1)
        return mails

    def update(self, X, mails, bought):
        pass


def make(spec, run):
    if spec == "oracle":
        return Oracle()
    return ud.targeting(spec, features=X.shape[1], budget=BUDGET, treatments=2, seed=run)


def play(spec, run):
    """Mean uplift of those treated over a run, and the policy as it is then."""
    policy, won = make(spec, run), 0.0
    for t in range(ROUNDS):
        rng = np.random.default_rng([run, t])        # the same customers for all policies
        pool = rng.choice(len(rows), POOL, replace=False)
        mails = policy.select(X[pool])
        bought = rng.random(POOL) < response[pool, mails]
        policy.update(X[pool], mails, bought)
        won += sum(true_uplift[pool[mails > 0], mails[mails > 0] - 1])
    return won / (ROUNDS * BUDGET), policy


# %% [markdown]
# The oracle knows the simulated uplifts: nobody can do better. `random` knows nothing. `c2_ucb` looks
# for those who buy most when treated, `c2_up_ucb` for those who buy more *because* of it.
# `fill=yes` spends the whole budget in every round, so that all of them send the same number of
# mails.

# %%
LEARNER = "c2_up_ucb(beta=0.5, model=logistic, fit=online, fill=yes)"
PLAYED = ["oracle", LEARNER, "c2_ucb(beta=0.5, model=logistic, fit=online, fill=yes)", "random"]
print(f"simulated: extra purchases per mail; {ROUNDS} rounds, {BUDGET} mails each, 8 runs")
uplift = {}
for spec in PLAYED:
    runs = [play(spec, run) for run in range(8)]
    means = np.array([mean for mean, _ in runs])
    uplift[spec] = means.mean()
    print(f"  {spec.split('(')[0]:10} {means.mean():.4f} ± {means.std(ddof=1) / np.sqrt(8):.4f}")
    if spec == LEARNER:
        ud.save(runs[0][1], out / "shop.policy")
assert uplift["random"] < uplift[LEARNER] < uplift["oracle"]
assert uplift[PLAYED[2]] < uplift[LEARNER], "buyers are not those whom a mail moves"

estimated = ud.load(out / "shop.policy").explain(X[:POOL])
who = int(estimated["index"].argmax())
mail, uplift = MAILS[estimated["treatment"][who]], estimated["uplift"][who]
print(f"first of {POOL} rows: customer {rows[who]['customer']}, {mail}, estimated {uplift:+.3f}")
