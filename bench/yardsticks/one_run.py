"""Yardsticks that play one run: a policy, an environment and the loop between them.

An environment has
    feedback(action, payoffs)  what observe() takes, made of all payoffs of a round
    draw(rng, action)          the same, drawn for one round: the straightforward way
    block(rng, rounds)         what chance brings in each of these rounds, before the action
    pay(action, chance)        what observe() takes, made of that: the way of the strongest
"""

from itertools import repeat

import numpy as np

from . import one_run_policies as policies
from .cases import UNKNOWN_SETS
from .draws import ClusterTotals, Ones, all_payoffs, gaussian_noise
from .plain import PlainPolicy

BLOCK = 500  # rounds drawn at once by the strongest


class OneRun:
    def __init__(self, case, policy, environment, each_round):
        self.environment = environment
        self.normals_per_round = case.instance.actions if case.policy == "ts" else 0
        self.start, self.indices = policy.start, policy.indices
        self.choose, self.observe = policy.choose, policy.observe
        self.feedback = environment.feedback
        self.advance = self._each_round if each_round else self._in_blocks

    def _each_round(self, rounds, rng):
        choose, observe, draw = self.choose, self.observe, self.environment.draw
        size = self.normals_per_round
        for _ in range(rounds):
            action = choose(rng.standard_normal(size) if size else None)
            observe(action, draw(rng, action))

    def _in_blocks(self, rounds, rng):
        choose, observe, pay = self.choose, self.observe, self.environment.pay
        normals = repeat(None)
        while rounds > 0:
            count = min(rounds, BLOCK)
            rounds -= count
            if self.normals_per_round:
                normals = rng.standard_normal((count, self.normals_per_round))
            for chance, z in zip(self.environment.block(rng, count), normals):
                action = choose(z)
                observe(action, pay(action, chance))


class Environment:
    def __init__(self, instance):
        self.instance = instance

    def draw(self, rng, action):
        return self.feedback(action, all_payoffs(self.instance, rng, action))


class AllPayoffs(Environment):
    def feedback(self, action, payoffs):
        return payoffs


class GaussianRewards(Environment):
    """Draws all payoffs; the policy wants their sum, which a block finds at once."""

    def __init__(self, instance):
        super().__init__(instance)
        self.rewards = instance.rewards.tolist()

    def block(self, rng, rounds):
        noise = gaussian_noise(self.instance, rng, (rounds, self.instance.variables))
        return noise.sum(axis=1).tolist()

    def pay(self, action, chance):
        return self.rewards[action] + chance

    def feedback(self, action, payoffs):
        return float(payoffs.sum())


class GaussianSetSums(Environment):
    """Draws all payoffs; the policy wants the sum over V(action)."""

    def __init__(self, instance):
        super().__init__(instance)
        self.sets = np.ascontiguousarray(instance.affected.T.astype(float))
        self.means = (instance.means * instance.affected).sum(axis=1).tolist()

    def block(self, rng, rounds):
        noise = gaussian_noise(self.instance, rng, (rounds, self.instance.variables))
        return (noise @ self.sets).tolist()

    def pay(self, action, chance):
        return self.means[action] + chance[action]

    def feedback(self, action, payoffs):
        return float(payoffs[self.instance.sets[action]].sum())


class GaussianPayoffs(Environment):
    """Draws all payoffs; the policy wants those of `ids`."""

    def __init__(self, instance, ids=slice(None)):
        super().__init__(instance)
        self.ids = ids
        self.means = np.ascontiguousarray(instance.means[:, ids])

    def block(self, rng, rounds):
        noise = gaussian_noise(self.instance, rng, (rounds, self.instance.variables))
        return noise[:, self.ids]

    def pay(self, action, chance):
        return self.means[action] + chance

    def feedback(self, action, payoffs):
        return payoffs[self.ids]


class CriteoSums(Environment):
    """Draws all 100,000 payoffs; the policy wants cluster totals."""

    def __init__(self, case):
        super().__init__(case.instance)
        self.wants = {"up_ucb_bl": "own", "up_ucb": "all"}.get(case.policy, "reward")

    def feedback(self, action, payoffs):
        if self.wants == "reward":
            return int(np.count_nonzero(payoffs))
        if self.wants == "own":
            return int(np.count_nonzero(payoffs[self._cluster(action)]))
        counts = [np.count_nonzero(payoffs[self._cluster(c)]) for c in range(self.instance.actions)]
        return np.array(counts)

    def _cluster(self, action):
        return slice(self.instance.starts[action], self.instance.ends[action])


class CriteoOnes(Environment):
    """The policy wants the ids of the ones; in blocks, nothing else is drawn."""

    def __init__(self, case):
        super().__init__(case.instance)
        self.ones = Ones(case.instance)

    def block(self, rng, rounds):
        return repeat(rng, rounds)

    def pay(self, action, rng):
        return self.ones.draw(rng, action)

    def feedback(self, action, payoffs):
        return np.flatnonzero(payoffs)


class CriteoTotals(CriteoSums):
    """Draws the cluster totals themselves."""

    def __init__(self, case):
        super().__init__(case)
        self.totals = ClusterTotals(self.instance)
        self.queues = [[] for _ in range(self.instance.actions)]
        self.pay = getattr(self, "_pay_" + self.wants)

    def draw(self, rng, action):
        totals = rng.binomial(self.instance.cluster_sizes, self.instance.cluster_rates[action])
        if self.wants == "all":
            return totals
        return int(totals[action] if self.wants == "own" else totals.sum())

    def block(self, rng, rounds):
        self.rng = rng
        untreated = self.totals.untreated(rng, rounds)
        if self.wants == "all":
            return untreated
        if self.wants == "own":
            return repeat(None, rounds)  # drawn all the same: a round pays all its clusters
        return zip(untreated.sum(axis=1).tolist(), untreated.tolist())

    def _treated(self, action):
        queue = self.queues[action]
        if not queue:
            queue.extend(self.totals.treated(self.rng, action, 50).tolist())
        return queue.pop()

    def _pay_reward(self, action, chance):
        total, untreated = chance
        return total - untreated[action] + self._treated(action)

    def _pay_own(self, action, _):
        return self._treated(action)

    def _pay_all(self, action, untreated):
        untreated[action] = self._treated(action)
        return untreated


class Plain(OneRun):
    """Plain numpy: draws every payoff, recomputes every index."""

    title = "plain numpy"

    def __init__(self, case):
        super().__init__(case, PlainPolicy(case), AllPayoffs(case.instance), each_round=True)


class Tuned(OneRun):
    """Tuned numpy: recomputes only what a round changed. For known 0/1 sets only each round."""

    title = "tuned numpy"

    def __init__(self, case, each_round):
        instance, name = case.instance, case.policy
        if instance.binary:
            policy = CRITEO_POLICIES[name](case)
            environment = CriteoOnes(case) if name in UNKNOWN_SETS else CriteoSums(case)
        else:
            policy = GAUSSIAN_POLICIES[name](case)
            if name in ("ucb", "ts"):
                environment = GaussianRewards(instance)
            elif name == "up_ucb_bl":
                environment = GaussianSetSums(instance)
            elif name == "up_ucb":
                environment = GaussianPayoffs(instance, policy.movable)
            else:
                environment = GaussianPayoffs(instance)
        super().__init__(case, policy, environment, each_round)


class OnTotals(OneRun):
    """Numpy on cluster totals: binomial numbers in place of 100,000 payoffs."""

    title = "numpy on cluster totals"

    def __init__(self, case, each_round):
        policy = CRITEO_POLICIES[case.policy](case)
        super().__init__(case, policy, CriteoTotals(case), each_round)


GAUSSIAN_POLICIES = {
    "ucb": policies.Ucb,
    "ts": policies.Ts,
    "up_ucb_bl": policies.UpUcbBl,
    "up_ucb": policies.UpUcb,
    "up_ucb_l_bl": policies.UpUcbLBl,
    "up_ucb_l": policies.UpUcbL,
}
CRITEO_POLICIES = GAUSSIAN_POLICIES | {"up_ucb": policies.UpUcbOnTotals}
