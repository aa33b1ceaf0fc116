"""How yardsticks draw payoffs."""

import math

import numpy as np

from .cases import STRONGEST


def generator(group, seed):
    """numpy's default generator; for the strongest yardsticks its fastest."""
    if group == STRONGEST:
        return np.random.Generator(np.random.SFC64(seed))
    return np.random.default_rng(seed)


def gaussian_noise(instance, rng, shape):
    """Noise of `shape` = (..., variables): a shared normal and an own one for every variable."""
    noise = rng.standard_normal(shape)
    noise *= math.sqrt(1.0 - instance.shared)
    noise += math.sqrt(instance.shared) * rng.standard_normal(shape[:-1] + (1,))
    return noise


def all_payoffs(instance, rng, action):
    """[variable] payoffs, drawn the plain way; [run, variable] where `action` is one per run."""
    means = instance.means[action]
    if instance.binary:
        return rng.random(means.shape) < means
    payoffs = gaussian_noise(instance, rng, means.shape)
    payoffs += means
    return payoffs


class Ones:
    """Which of many independent 0/1 payoffs are 1, at a cost that follows their number.

    Points of a Poisson process fall on a line where variable i owns a stretch of length
    -log(1 - p_i); the payoff is 1 where its stretch holds a point. That is exactly the law of
    independent payoffs. The gaps between points are exponential.
    """

    def __init__(self, instance):
        sizes = instance.cluster_sizes
        lengths = -np.log1p(-instance.cluster_rates)  # [action, cluster], of one variable
        self.bounds = np.cumsum(lengths * sizes, axis=1)
        before = self.bounds - lengths * sizes
        safe = np.where(lengths > 0, lengths, 1.0)
        self.scale = 1.0 / safe
        self.shift = instance.starts - before / safe
        total = self.bounds[:, -1].max()
        self.points = int(total + 10.0 * math.sqrt(total))
        self.last = instance.variables - 1

    def draw(self, rng, action):
        """The ids of the ones, in increasing order, each once."""
        points = rng.standard_exponential(self.points)
        np.cumsum(points, out=points)
        cuts = np.searchsorted(points, self.bounds[action])
        counts = np.diff(cuts, prepend=0)
        points = points[: cuts[-1]]
        points *= np.repeat(self.scale[action], counts)
        points += np.repeat(self.shift[action], counts)
        ids = np.minimum(points.astype(np.int64), self.last)
        first = np.empty(len(ids), dtype=bool)
        first[:1] = True
        np.not_equal(ids[1:], ids[:-1], out=first[1:])
        return ids[first]


class ClusterTotals:
    """How many payoffs of each cluster are 1: binomial numbers, drawn for a block of rounds.

    The totals of untreated clusters are drawn for all rounds of a block; the treated cluster's
    comes from a queue of draws at its own rate, one queue per action, each draw used once.
    """

    def __init__(self, instance):
        self.instance = instance
        self.sizes = instance.cluster_sizes

    def untreated(self, rng, rounds):
        """[round, cluster]"""
        totals = np.empty((len(self.sizes), rounds), dtype=np.int64)
        for c, size in enumerate(self.sizes):
            totals[c] = rng.binomial(size, self.instance.untreated[c], rounds)
        return totals.T.copy()

    def treated(self, rng, action, count):
        return rng.binomial(self.sizes[action], self.instance.treated[action], count)
