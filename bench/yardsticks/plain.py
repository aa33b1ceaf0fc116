"""The six policies in plain numpy: all K x m sums are kept, all indices recomputed every round."""

import numpy as np


class PlainPolicy:
    def __init__(self, case):
        self.case = case
        self.instance = case.instance
        self.value = case.parameter
        self.affected = case.instance.affected.astype(float)
        self.index = getattr(self, "_" + case.policy)
        self.start()

    def start(self):
        self.round = 0
        self.pulls = np.zeros(self.instance.actions)
        self.sums = np.zeros((self.instance.actions, self.instance.variables))

    def choose(self, normals):
        return int(np.argmax(self.indices(normals)))

    def indices(self, normals):
        if self.case.policy != "ts" and self.round < self.instance.actions:
            return np.where(self.pulls == 0, np.inf, 0.0)
        return self.index(normals)

    def observe(self, action, payoffs):
        self.round += 1
        self.pulls[action] += 1
        self.sums[action] += payoffs

    def _means(self):
        return self.sums / self.pulls[:, None]

    def _radii(self):
        return np.sqrt(2.0 * self.value / self.pulls)[:, None]

    def _ucb(self, _):
        rewards = self.sums.sum(axis=1) / self.pulls
        return rewards + self.instance.variables * self._radii()[:, 0]

    def _ts(self, normals):
        variance = self.instance.prior_variance
        noise = self.instance.variables**2 * self.value
        spread = noise + self.pulls * variance
        mean = (self.instance.prior_mean * noise + variance * self.sums.sum(axis=1)) / spread
        return mean + np.sqrt(variance * noise / spread) * normals

    def _up_ucb_bl(self, _):
        individual = self._means() + self._radii() - self.instance.baseline
        return (individual * self.affected).sum(axis=1)

    def _up_ucb(self, _):
        untouched = 1.0 - self.affected
        counts = self.pulls @ untouched
        baseline = (self.sums * untouched).sum(axis=0) / counts + np.sqrt(2.0 * self.value / counts)
        return ((self._means() + self._radii() - baseline) * self.affected).sum(axis=1)

    def _up_ucb_l_bl(self, _):
        means, radii, baseline = self._means(), self._radii(), self.instance.baseline
        individual = means + radii - baseline
        identified = (baseline < means - radii) | (baseline > means + radii)
        return _padded(individual, identified, self.instance.max_affected)

    def _up_ucb_l(self, _):
        means, radii = self._means(), self._radii()
        upper, lower = means + radii, means - radii
        b = int(np.argmax(self.pulls))
        identified = (upper < lower[b]) | (upper[b] < lower)
        individual = upper - upper[b]
        # Padding of negative index is not wanted: as 0 it adds nothing.
        individual = np.where(identified, individual, np.maximum(individual, 0.0))
        return _padded(individual, identified, 2 * self.instance.max_affected)


def _padded(individual, identified, budget):
    """Sums the identified entries of each row and the largest others, `budget` in all."""
    rest = np.sort(np.where(identified, -np.inf, individual), axis=1)[:, ::-1]
    room = np.maximum(0, budget - identified.sum(axis=1))
    padding = [row[:count].sum() for row, count in zip(rest, room)]
    return np.where(identified, individual, 0.0).sum(axis=1) + padding
