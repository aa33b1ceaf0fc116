"""Yardsticks that borrow Updraft's idea: draw only the sums of payoffs a policy can tell apart.

    ucb, ts     the total: one normal a round
    up_ucb_bl   the sum over V(action): one normal a round; on criteo one binomial number
    up_ucb      sums over atoms, groups of variables moved by the same actions

The sums have the law that the payoffs give them. Each is played batched over 100 runs and in
numba. They are marked among the strongest yardsticks, and have a ratio of their own.
"""

import math

import numpy as np
from numba import njit

from . import batched
from .jitted import JittedTotals, _Jitted
from .jitted_policies import GAUSSIAN


def deviation(instance, size):
    """The standard deviation of the sum of `size` payoffs."""
    return np.sqrt(size * (1.0 - instance.shared) + instance.shared * np.square(size))


class _BatchedTotal:
    title = "batched numpy, total only"

    def block(self, rng, rounds):
        noise = rng.standard_normal((rounds, self.rows))
        noise *= deviation(self.instance, self.variables)
        return noise


class BatchedUcb(_BatchedTotal, batched.Ucb):
    pass


class BatchedTs(_BatchedTotal, batched.Ts):
    pass


class BatchedUpUcbBl(batched.UpUcbBl):
    title = "batched numpy, own sum only"

    def block(self, rng, rounds):
        return rng.standard_normal((rounds, self.rows))

    def pay(self, actions, chance):
        return self.set_means[actions] + deviation(self.instance, self.sizes)[actions] * chance


class BatchedUpUcb(batched.UpUcb):
    title = "batched numpy, sums over atoms"

    def groups(self):
        return self.instance.atoms()

    def feedback(self, actions, payoffs):
        return np.add.reduceat(super().feedback(actions, payoffs), self.group_starts, axis=0)

    def block(self, rng, rounds):
        shared, sizes = self.instance.shared, self.group_sizes[:, None]
        noise = rng.standard_normal((rounds, len(sizes), self.rows))
        noise *= np.sqrt((1.0 - shared) * sizes)
        noise += math.sqrt(shared) * sizes * rng.standard_normal((rounds, 1, self.rows))
        return noise


class JittedSums(_Jitted):
    """Gaussian sums over groups of variables: all in one, V(action), or the atoms."""

    BLOCK = 2000

    def __init__(self, case):
        instance = case.instance
        if case.policy in ("ucb", "ts"):
            self.title = "numba, total only"
            groups = [np.arange(instance.variables)]
        elif case.policy == "up_ucb_bl":
            # Only the entry of the action that is taken is drawn and read.
            self.title = "numba, own sum only"
            groups = instance.sets
        else:
            self.title = "numba, sums over atoms"
            groups = instance.atoms()
        super().__init__(case, GAUSSIAN, groups)
        sizes = np.array([float(len(ids)) for ids in groups])
        self.means = np.array([instance.means[:, ids].sum(axis=1) for ids in groups]).T.copy()
        self.paid = np.empty(len(groups))
        self.one_normal = case.policy != "up_ucb"
        if self.one_normal:
            self.scales, self.together_scales = deviation(instance, sizes), sizes * 0.0
        else:
            self.scales = np.sqrt((1.0 - instance.shared) * sizes)
            self.together_scales = math.sqrt(instance.shared) * sizes
        own_only = case.policy == "up_ucb_bl"
        self.play = (_own_loop if own_only else _sums_loop)(*self.steps)

    def start(self):
        super().start()
        if self.case.policy == "up_ucb_bl":
            sets = self.state[3]
            sets[:, 0], sets[:, 1] = 1, np.arange(len(sets))  # place a holds the sum over V(a)

    def feedback(self, action, payoffs):
        return np.array([payoffs[ids].sum() for ids in self.groups])

    def advance(self, rounds, rng):
        while rounds > 0:
            count = min(rounds, self.BLOCK)
            rounds -= count
            own = rng.standard_normal((count, 1 if self.one_normal else len(self.paid)))
            together = np.zeros(count) if self.one_normal else rng.standard_normal(count)
            normals = self._block_of_normals(rng, count)
            scales = self.scales, self.together_scales
            self.play(*self.state, own, together, scales, normals, self.means, self.paid)


def _sums_loop(choose, observe):
    @njit
    def play(stats, places, sums, sets, settings, own, together, scales, normals, means, paid):
        for t in range(len(own)):
            action = choose(stats, normals[t])
            for g in range(len(paid)):
                noise = scales[0][g] * own[t, g] + scales[1][g] * together[t]
                paid[g] = means[action, g] + noise
            observe(stats, places, sums, sets, settings, action, paid)

    return play


def _own_loop(choose, observe):
    @njit
    def play(stats, places, sums, sets, settings, own, together, scales, normals, means, paid):
        for t in range(len(own)):
            action = choose(stats, normals[t])
            paid[action] = means[action, action] + scales[0][action] * own[t, 0]
            observe(stats, places, sums, sets, settings, action, paid)

    return play


class JittedOwnTotal(JittedTotals):
    """up_ucb_bl on criteo: the total of the treated cluster, nothing else."""

    title = "numba, own total only"
    QUEUE = 200

    def advance(self, rounds, rng):
        nothing = np.zeros((rounds, self.instance.actions), dtype=np.int64)
        self._play_block(rng, nothing, np.zeros((rounds, 1)))


_BATCHED = {"ucb": BatchedUcb, "ts": BatchedTs, "up_ucb_bl": BatchedUpUcbBl, "up_ucb": BatchedUpUcb}


def borrowers_of(case):
    if case.instance.binary:
        return [JittedOwnTotal] if case.policy == "up_ucb_bl" else []
    if case.policy in _BATCHED:
        return [_BATCHED[case.policy], JittedSums]
    return []
