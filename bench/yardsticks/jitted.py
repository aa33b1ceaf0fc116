"""Numba, as strong as we could: compiled loops over policy and environment, one thread.

The random numbers come from numpy in blocks: numba's own normals, exponentials and binomials
take more than twice as long each.
"""

import math

import numpy as np
from numba import njit

from .cases import UNKNOWN_SETS
from .draws import ClusterTotals
from .jitted_policies import CRITEO, DEVIATIONS, GAUSSIAN, INDEX, MEANS, new_state


class _Jitted:
    title = "numba"

    def __init__(self, case, steps, groups=None):
        self.case = case
        self.instance = case.instance
        self.groups = groups
        self.steps = steps[case.policy]
        self.start()

    def start(self):
        self.state = new_state(self.case, self.groups)

    def choose(self, normals):
        return self.steps[0](self.state[0], np.zeros(1) if normals is None else normals)

    def observe(self, action, payoffs):
        self.steps[1](*self.state, action, payoffs)

    def feedback(self, action, payoffs):
        """All payoffs; of 0/1 payoffs the cluster totals or, for unknown sets, the ids of ones."""
        if not self.instance.binary:
            return payoffs
        if self.case.policy in UNKNOWN_SETS:
            return np.flatnonzero(payoffs)
        return np.add.reduceat(payoffs.astype(np.int64), self.instance.starts)

    def indices(self, normals):
        stats = self.state[0]
        if self.case.policy == "ts":
            return stats[MEANS] + stats[DEVIATIONS] * normals
        return stats[INDEX]

    def _block_of_normals(self, rng, rounds):
        """For ts one per action; the others get a number that they do not read."""
        if self.case.policy == "ts":
            return rng.standard_normal((rounds, self.instance.actions))
        return np.zeros((rounds, 1))


class JittedGaussian(_Jitted):
    """Draws all payoffs."""

    BLOCK = 500

    def __init__(self, case):
        super().__init__(case, GAUSSIAN)
        self.play = _gaussian_loop(*self.steps)
        self.own = np.empty((self.BLOCK, self.instance.variables))
        self.payoffs = np.empty(self.instance.variables)

    def advance(self, rounds, rng):
        shared = self.instance.shared
        while rounds > 0:
            count = min(rounds, self.BLOCK)
            rounds -= count
            own = rng.standard_normal(out=self.own[:count])
            together = rng.standard_normal(count)
            together *= math.sqrt(shared)
            normals = self._block_of_normals(rng, count)
            scale = math.sqrt(1.0 - shared)
            self.play(*self.state, own, scale, together, normals, self.instance.means, self.payoffs)


def _gaussian_loop(choose, observe):
    @njit
    def play(stats, places, sums, sets, settings, own, scale, together, normals, means, payoffs):
        for t in range(len(own)):
            action = choose(stats, normals[t])
            for i in range(len(payoffs)):
                payoffs[i] = means[action, i] + together[t] + scale * own[t, i]
            observe(stats, places, sums, sets, settings, action, payoffs)

    return play


class JittedTotals(_Jitted):
    """Known sets of 0/1 payoffs: draws cluster totals."""

    BLOCK = 1000
    QUEUE = 100

    def __init__(self, case):
        super().__init__(case, CRITEO, case.instance.sets)
        self.play = _totals_loop(*self.steps)
        self.totals = ClusterTotals(self.instance)
        self.treated = np.zeros((self.instance.actions, self.QUEUE), dtype=np.int64)
        self.used = np.full(self.instance.actions, self.QUEUE)

    def advance(self, rounds, rng):
        while rounds > 0:
            count = min(rounds, self.BLOCK)
            rounds -= count
            untreated = self.totals.untreated(rng, count)
            self._play_block(rng, untreated, self._block_of_normals(rng, count))

    def _play_block(self, rng, untreated, normals):
        """Plays as many rounds as there are, drawing treated totals when a queue is used up."""
        t = 0
        while True:
            t, action = self.play(*self.state, untreated, t, self.treated, self.used, normals)
            if t == len(untreated):
                return
            self.treated[action] = self.totals.treated(rng, action, self.QUEUE)
            self.used[action] = 0


def _totals_loop(choose, observe):
    @njit
    def play(stats, places, sums, sets, settings, untreated, t, treated, used, normals):
        """Plays from round t on until the block or a queue of treated draws is at its end."""
        while t < len(untreated):
            action = choose(stats, normals[t])
            if used[action] == treated.shape[1]:
                return t, action
            totals = untreated[t]
            totals[action] = treated[action, used[action]]
            used[action] += 1
            observe(stats, places, sums, sets, settings, action, totals)
            t += 1
        return t, 0

    return play


class JittedOnes(_Jitted):
    """Unknown sets of 0/1 payoffs: draws the ids of the ones by geometric gaps."""

    BLOCK = 100_000  # exponential numbers drawn at once

    def __init__(self, case):
        super().__init__(case, CRITEO)
        self.play = _ones_loop(*self.steps)
        lengths = -np.log1p(-self.instance.cluster_rates)
        self.scales = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
        self.ones = np.empty(self.instance.variables, dtype=np.int64)
        self.exponentials = np.empty(self.BLOCK)

    def advance(self, rounds, rng):
        while rounds > 0:
            draws = rng.standard_exponential(out=self.exponentials)
            ends = self.instance.ends
            rounds -= self.play(*self.state, rounds, draws, self.scales, ends, self.ones)


def _ones_loop(choose, observe):
    @njit
    def play(stats, places, sums, sets, settings, rounds, draws, scales, ends, ones):
        """Plays rounds while there are enough exponential numbers; returns how many."""
        position = 0
        normals = np.zeros(1)
        for t in range(rounds):
            if len(draws) - position < 10_000:
                return t
            action = choose(stats, normals)
            size = 0
            begin = 0
            for c in range(len(ends)):
                scale = scales[action, c]
                i = begin - 1
                while scale > 0.0:
                    i += 1 + int(draws[position] * scale)
                    position += 1
                    if i >= ends[c]:
                        break
                    ones[size] = i
                    size += 1
                begin = ends[c]
            observe(stats, places, sums, sets, settings, action, ones[:size])
        return rounds

    return play


def Jitted(case):
    if not case.instance.binary:
        return JittedGaussian(case)
    return JittedOnes(case) if case.policy in UNKNOWN_SETS else JittedTotals(case)
