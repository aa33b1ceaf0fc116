"""The six policies for one run, recomputing only what a round changed.

Numbers per action are Python floats where one changes a round (numpy is slower on single
numbers), arrays where all of them change.
"""

import math

import numpy as np


class IndexPolicy:
    """Takes every action once, in order, then the largest index, the lowest id among equals."""

    def __init__(self, case):
        self.case = case
        self.instance = case.instance
        self.actions = case.instance.actions
        self.twice_alpha = 2.0 * case.parameter
        self.start()

    def start(self):
        self.pulls = [0] * self.actions
        self.index = [math.inf] * self.actions

    def choose(self, _):
        return self.index.index(max(self.index))

    def indices(self, _):
        return self.index


class Ucb(IndexPolicy):
    """observe() takes the reward."""

    def start(self):
        super().start()
        self.rewards = [0.0] * self.actions

    def observe(self, action, reward):
        self.pulls[action] = n = self.pulls[action] + 1
        self.rewards[action] = total = self.rewards[action] + reward
        self.index[action] = total / n + self.instance.variables * math.sqrt(self.twice_alpha / n)


class UpUcbBl(IndexPolicy):
    """observe() takes the sum of the payoffs of V(action)."""

    def start(self):
        super().start()
        self.sums = [0.0] * self.actions
        self.sizes = self.instance.set_sizes.tolist()
        self.baselines = self.instance.set_baselines.tolist()

    def observe(self, action, set_sum):
        self.pulls[action] = n = self.pulls[action] + 1
        self.sums[action] = total = self.sums[action] + set_sum
        radius = math.sqrt(self.twice_alpha / n)
        self.index[action] = total / n - self.baselines[action] + self.sizes[action] * radius


class Ts:
    """observe() takes the reward; choose() takes one standard normal per action."""

    def __init__(self, case):
        instance = case.instance
        self.actions = instance.actions
        self.noise = instance.variables**2 * case.parameter
        self.mean0, self.variance0 = instance.prior_mean, instance.prior_variance
        self.start()

    def start(self):
        self.pulls = [0] * self.actions
        self.rewards = [0.0] * self.actions
        self.means = np.full(self.actions, self.mean0)
        self.deviations = np.full(self.actions, math.sqrt(self.variance0))

    def indices(self, normals):
        return self.means + self.deviations * normals

    def choose(self, normals):
        draws = self.deviations * normals
        draws += self.means
        return int(draws.argmax())

    def observe(self, action, reward):
        self.pulls[action] = n = self.pulls[action] + 1
        self.rewards[action] = total = self.rewards[action] + reward
        spread = self.noise + n * self.variance0
        self.means[action] = (self.mean0 * self.noise + self.variance0 * total) / spread
        self.deviations[action] = math.sqrt(self.variance0 * self.noise / spread)


class UpUcb(IndexPolicy):
    """observe() takes the payoffs of the variables that some action moves."""

    def __init__(self, case):
        affected = case.instance.affected
        self.movable = np.flatnonzero(affected.any(axis=0))
        self.sets = affected[:, self.movable].astype(float)  # [action, movable variable]
        self.untouched = 1.0 - self.sets
        self.sizes = case.instance.set_sizes.astype(float)
        super().__init__(case)

    def start(self):
        self.round = 0
        self.pulls = np.zeros(self.actions)
        self.own = np.zeros(self.actions)  # mean + radius over V(a)
        self.own_sums = np.zeros(self.actions)
        self.baseline_sums = np.zeros(len(self.movable))
        self.baseline_counts = np.zeros(len(self.movable))
        self.index = np.full(self.actions, np.inf)

    def choose(self, _):
        return int(self.index.argmax())

    def observe(self, action, payoffs):
        self.round += 1
        left_alone = payoffs * self.untouched[action]
        self.baseline_sums += left_alone
        self.baseline_counts += self.untouched[action]
        self.pulls[action] = n = self.pulls[action] + 1
        self.own_sums[action] = total = self.own_sums[action] + self.sets[action] @ payoffs
        self.own[action] = total / n + self.sizes[action] * math.sqrt(self.twice_alpha / n)
        if self.round < self.actions:
            self.index[action] = 0.0
            return
        upper = self.baseline_sums / self.baseline_counts
        upper += np.sqrt(self.twice_alpha / self.baseline_counts)
        self.index = self.own - self.sets @ upper


class UpUcbOnTotals(IndexPolicy):
    """up_ucb where the V(a) do not overlap; observe() takes the payoff sums of all V(a)."""

    def start(self):
        self.round = 0
        self.sizes = self.instance.set_sizes.astype(float)
        self.pulls = np.zeros(self.actions)
        self.own_sums = np.zeros(self.actions)
        self.all_sums = np.zeros(self.actions)
        self.own = np.zeros(self.actions)
        self.index = np.full(self.actions, np.inf)

    def choose(self, _):
        return int(self.index.argmax())

    def observe(self, action, totals):
        self.round += 1
        self.all_sums += totals
        self.pulls[action] = n = self.pulls[action] + 1
        self.own_sums[action] = total = self.own_sums[action] + totals[action]
        self.own[action] = total / n + self.sizes[action] * math.sqrt(self.twice_alpha / n)
        if self.round < self.actions:
            self.index[action] = 0.0
            return
        counts = self.round - self.pulls
        upper = (self.all_sums - self.own_sums) / counts
        upper += self.sizes * np.sqrt(self.twice_alpha / counts)
        self.index = self.own - upper


class UnknownSets(IndexPolicy):
    """What up_ucb_l_bl and up_ucb_l share.

    observe() takes all payoffs, or for 0/1 payoffs the ids of the ones.

    Let d(i) be the mean of (a, i) less its baseline. Identified are the variables with |d| > some
    width: those of d > width are the largest of all, those of d < -width the smallest. So the
    identified and the padding ones together are the `low` smallest and the budget - low largest:
    one np.partition finds the sum of the latter. Where the identified ones exceed the budget,
    nothing needs to be selected.
    """

    def start(self):
        super().start()
        self.round = 0
        self.pulls = np.zeros(self.actions)
        self.sums = np.zeros((self.actions, self.instance.variables))
        self.d = np.empty(self.instance.variables)
        self.scratch = np.empty_like(self.d)
        self.smallest = np.empty(self.instance.variables, dtype=bool)
        self.largest = np.empty_like(self.smallest)

    def add(self, action, feedback):
        self.round += 1
        self.pulls[action] += 1
        if self.instance.binary:
            self.sums[action][feedback] += 1.0
        else:
            self.sums[action] += feedback

    def differences(self, action, baseline):
        np.multiply(self.sums[action], 1.0 / self.pulls[action], out=self.d)
        self.d -= baseline
        return self.d

    def padded(self, d, width, extra, budget, positive_only):
        """The sum of d + extra over the identified variables and the padding."""
        low = np.count_nonzero(np.less(d, -width, out=self.smallest))
        high = np.count_nonzero(np.greater(d, width, out=self.largest))
        if low + high >= budget:
            self.smallest |= self.largest
            return np.multiply(d, self.smallest, out=self.scratch).sum() + (low + high) * extra
        identified = np.dot(d, self.smallest) if low else 0.0
        count = budget - low
        candidates = d[d > -extra] if positive_only else d
        first = len(candidates) - count
        if first > 0:
            candidates = np.partition(candidates, first)[first:]
        return identified + candidates.sum() + (low + len(candidates)) * extra


class UpUcbLBl(UnknownSets):
    def observe(self, action, feedback):
        self.add(action, feedback)
        n = self.pulls[action]
        radius = math.sqrt(self.twice_alpha / n)
        d = self.differences(action, self.instance.baseline)
        self.index[action] = self.padded(d, radius, radius, self.instance.max_affected, False)


class UpUcbL(UnknownSets):
    def start(self):
        super().start()
        self.stand_in = 0  # the most pulled action, which plays baseline

    def observe(self, action, feedback):
        self.add(action, feedback)
        stand_in = int(self.pulls.argmax())
        moved = stand_in != self.stand_in or action == stand_in
        self.stand_in = stand_in
        if self.round < self.actions:
            self.index[action] = 0.0
            return
        everything = moved or self.round == self.actions
        if everything:
            self.baseline = self.sums[stand_in] / self.pulls[stand_in]
        radii = np.sqrt(self.twice_alpha / self.pulls)
        radius_b = radii[stand_in]
        budget = 2 * self.instance.max_affected
        for a in range(self.actions) if everything else (action,):
            if a == stand_in:
                self.index[a] = 0.0
                continue
            d = self.differences(a, self.baseline)
            self.index[a] = self.padded(d, radii[a] + radius_b, radii[a] - radius_b, budget, True)
