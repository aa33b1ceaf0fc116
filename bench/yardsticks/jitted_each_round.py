"""Numba, straightforward: a compiled loop that draws its numbers itself, once a round."""

import numpy as np
from numba import njit

from .cases import UNKNOWN_SETS
from .jitted import _Jitted
from .jitted_policies import PLAIN_CRITEO, PLAIN_GAUSSIAN


@njit
def draw_gaussian(means, scales, payoffs):
    together = scales[0] * np.random.normal()
    for i in range(len(payoffs)):
        payoffs[i] = means[i] + together + scales[1] * np.random.normal()
    return payoffs


@njit
def draw_totals(rates, sizes, totals):
    for c in range(len(totals)):
        totals[c] = np.random.binomial(sizes[c], rates[c])
    return totals


@njit
def draw_ones(rates, _, ones):
    size = 0
    for i in range(len(ones)):
        if np.random.random() < rates[i]:
            ones[size] = i
            size += 1
    return ones[:size]


def _loop(choose, observe, draw):
    @njit
    def play(stats, places, sums, sets, settings, rounds, seed, normals, means, constants, paid):
        np.random.seed(seed)
        for _ in range(rounds):
            for a in range(len(normals)):
                normals[a] = np.random.normal()
            action = choose(stats, normals)
            payoffs = draw(means[action], constants, paid)
            observe(stats, places, sums, sets, settings, action, payoffs)

    return play


class JittedEachRound(_Jitted):
    def __init__(self, case):
        instance = case.instance
        if not instance.binary:
            super().__init__(case, PLAIN_GAUSSIAN)
            draw, self.means = draw_gaussian, instance.means
            self.constants = np.sqrt([instance.shared, 1.0 - instance.shared])
            self.paid = np.empty(instance.variables)
        elif case.policy in UNKNOWN_SETS:
            super().__init__(case, PLAIN_CRITEO)
            draw, self.means = draw_ones, instance.means
            self.constants = np.empty(0)
            self.paid = np.empty(instance.variables, dtype=np.int64)
        else:
            super().__init__(case, PLAIN_CRITEO, instance.sets)
            draw, self.means = draw_totals, instance.cluster_rates
            self.constants = instance.cluster_sizes
            self.paid = np.empty(instance.actions, dtype=np.int64)
        self.play = _loop(*self.steps, draw)
        self.normals = np.empty(instance.actions if case.policy == "ts" else 0)

    def advance(self, rounds, rng):
        seed = rng.integers(2**31)
        drawing = self.normals, self.means, self.constants, self.paid
        self.play(*self.state, rounds, seed, *drawing)
