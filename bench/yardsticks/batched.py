"""Batched numpy: 100 runs of the gaussian instance side by side, one array operation for all.

Only the index of the action that each run took is recomputed, unless more changed. The counts and
sums of (run, action) are kept flat, at run * K + action.

The straightforward way draws all [run, variable] payoffs once a round; feedback() makes of them
what observe() takes. The strongest draws blocks of rounds, into memory that is used again, and
lays them out as the policy reads them.
"""

import math

import numpy as np

from .draws import all_payoffs

BLOCK = 20  # rounds drawn at once: about 1.6 MB of payoffs


class _Batched:
    title = "batched numpy"
    batched = True
    runs = 100

    def __init__(self, case, each_round=False):
        self.advance = self._each_round if each_round else self._in_blocks
        self.case = case
        self.instance = case.instance
        self.actions, self.variables = case.instance.means.shape
        self.twice_alpha = 2.0 * case.parameter
        self.start()

    def start(self, rows=None):
        self.rows = rows or self.runs
        self.first = np.arange(self.rows) * self.actions
        self.round = 0
        self.buffer = None
        self.pulls = np.zeros(self.rows * self.actions)
        self.sums = np.zeros(self.rows * self.actions)
        self.index = np.full(self.rows * self.actions, np.inf)

    def indices(self, _):
        return self.index.reshape(self.rows, self.actions)

    def choose(self, _):
        return self.index.reshape(self.rows, self.actions).argmax(axis=1)

    def own_normals(self, rng, rounds):
        """One standard normal per [round, variable, run], in memory that is used again."""
        shape = (rounds, self.variables, self.rows)
        if self.buffer is None or self.buffer.shape != shape:
            self.buffer = np.empty(shape)
        return rng.standard_normal(out=self.buffer)

    def noise(self, rng, rounds):
        """[round, variable, run]"""
        noise = self.own_normals(rng, rounds)
        noise *= math.sqrt(1.0 - self.instance.shared)
        noise += math.sqrt(self.instance.shared) * rng.standard_normal((rounds, 1, self.rows))
        return noise

    def _each_round(self, rounds, rng):
        for _ in range(rounds):
            actions = self.choose(self.normals(rng, 1)[0])
            payoffs = all_payoffs(self.instance, rng, actions)
            self.observe(actions, self.feedback(actions, payoffs))

    def _in_blocks(self, rounds, rng):
        while rounds > 0:
            count = min(rounds, BLOCK)
            rounds -= count
            for chance, normals in zip(self.block(rng, count), self.normals(rng, count)):
                actions = self.choose(normals)
                self.observe(actions, self.pay(actions, chance))

    def normals(self, rng, rounds):
        return [None] * rounds


class _OnRewards(_Batched):
    """observe() takes rewards."""

    def block(self, rng, rounds):
        """The total noise: m own normals and m times the shared one."""
        noise = self.own_normals(rng, rounds).sum(axis=1)
        noise *= math.sqrt(1.0 - self.instance.shared)
        shared = rng.standard_normal((rounds, self.rows))
        noise += self.variables * math.sqrt(self.instance.shared) * shared
        return noise

    def pay(self, actions, chance):
        return self.instance.rewards[actions] + chance

    def feedback(self, actions, payoffs):
        return payoffs.sum(axis=1)


class Ucb(_OnRewards):
    def observe(self, actions, rewards):
        at = self.first + actions
        self.pulls[at] = n = self.pulls[at] + 1.0
        self.sums[at] = total = self.sums[at] + rewards
        self.index[at] = total / n + self.variables * np.sqrt(self.twice_alpha / n)


class Ts(_OnRewards):
    def start(self, rows=None):
        super().start(rows)
        self.noise_variance = self.variables**2 * self.case.parameter
        self.means = np.full(len(self.sums), self.instance.prior_mean)
        self.deviations = np.full(len(self.sums), math.sqrt(self.instance.prior_variance))

    def normals(self, rng, rounds):
        return rng.standard_normal((rounds, self.rows, self.actions))

    def indices(self, normals):
        draws = self.deviations * normals.ravel()
        draws += self.means
        return draws.reshape(self.rows, self.actions)

    def choose(self, normals):
        return self.indices(normals).argmax(axis=1)

    def observe(self, actions, rewards):
        noise, variance = self.noise_variance, self.instance.prior_variance
        at = self.first + actions
        self.pulls[at] = n = self.pulls[at] + 1.0
        self.sums[at] = total = self.sums[at] + rewards
        spread = 1.0 / (noise + n * variance)
        self.means[at] = (self.instance.prior_mean * noise + variance * total) * spread
        self.deviations[at] = np.sqrt(variance * noise * spread)


class UpUcbBl(_Batched):
    """observe() takes the sum of the payoffs of V(action)."""

    def start(self, rows=None):
        super().start(rows)
        self.sizes = self.instance.set_sizes.astype(float)
        self.set_means = (self.instance.means * self.instance.affected).sum(axis=1)
        largest = self.instance.max_affected
        if (self.instance.set_sizes != largest).any():
            raise NotImplementedError("sets of different sizes")
        self.places = np.array(self.instance.sets)
        self.row_starts = np.arange(self.rows)[:, None] * self.variables

    def feedback(self, actions, payoffs):
        return payoffs.ravel().take(self.places[actions] + self.row_starts).sum(axis=1)

    def block(self, rng, rounds):
        return zip(self.own_normals(rng, rounds), rng.standard_normal((rounds, self.rows)))

    def pay(self, actions, chance):
        own, shared = chance
        noise = self.feedback(actions, own)
        noise *= math.sqrt(1.0 - self.instance.shared)
        noise += math.sqrt(self.instance.shared) * self.sizes[actions] * shared
        noise += self.set_means[actions]
        return noise

    def observe(self, actions, set_sums):
        at = self.first + actions
        self.pulls[at] = n = self.pulls[at] + 1.0
        self.sums[at] = total = self.sums[at] + set_sums
        radii = np.sqrt(self.twice_alpha / n)
        index = total / n
        index -= self.instance.set_baselines[actions]
        index += self.sizes[actions] * radii
        self.index[at] = index


class UpUcb(_Batched):
    """observe() takes [group, run] payoff sums; a group is a variable that some action moves."""

    def groups(self):
        return [[i] for i in np.flatnonzero(self.instance.affected.any(axis=0))]

    def start(self, rows=None):
        super().start(rows)
        groups = self.groups()
        firsts = [ids[0] for ids in groups]
        self.ids, self.group_sizes = np.concatenate(groups), np.array([len(ids) for ids in groups])
        self.group_starts = np.cumsum(self.group_sizes) - self.group_sizes
        self.means = np.add.reduceat(self.instance.means.T[self.ids], self.group_starts, axis=0)
        affected = self.instance.affected[:, firsts]
        self.untouched = np.ascontiguousarray(1.0 - affected.T)
        self.sizes = self.instance.set_sizes.astype(float)
        # The groups of V(0), V(1), ... one after the other.
        self.members = np.concatenate([np.flatnonzero(row) for row in affected])
        self.set_starts = np.cumsum(affected.sum(axis=1)) - affected.sum(axis=1)
        self.own = np.zeros(self.rows * self.actions)  # mean + radius over V(a)
        self.baseline_sums = np.zeros((len(groups), self.rows))
        self.baseline_counts = np.zeros((len(groups), self.rows))
        # radius = sqrt(2 alpha / count), times the size of the group
        self.radius_factors = (self.twice_alpha * self.group_sizes**2.0)[:, None]

    def block(self, rng, rounds):
        return self.noise(rng, rounds)[:, self.ids]

    def pay(self, actions, chance):
        chance += self.means.take(actions, axis=1)
        return chance

    def feedback(self, actions, payoffs):
        return payoffs.T.take(self.ids, axis=0)

    def observe(self, actions, payoffs):
        self.round += 1
        untouched = self.untouched.take(actions, axis=1)
        left_alone = payoffs * untouched
        self.baseline_sums += left_alone
        self.baseline_counts += untouched
        payoffs -= left_alone
        at = self.first + actions
        self.pulls[at] = n = self.pulls[at] + 1.0
        self.sums[at] = total = self.sums[at] + payoffs.sum(axis=0)
        self.own[at] = total / n + self.sizes[actions] * np.sqrt(self.twice_alpha / n)
        if self.round < self.actions:
            self.index[at] = 0.0
            return
        inverse = 1.0 / self.baseline_counts
        upper = self.baseline_sums * inverse
        inverse *= self.radius_factors
        upper += np.sqrt(inverse, out=inverse)
        subtracted = np.add.reduceat(upper.take(self.members, axis=0), self.set_starts, axis=0)
        self.index = self.own - subtracted.T.ravel()


class _UnknownSets(_Batched):
    """observe() takes [run, variable] payoffs: here a run's variables lie side by side."""

    def start(self, rows=None):
        super().start(rows)
        self.sums = np.zeros((self.rows * self.actions, self.variables))

    def block(self, rng, rounds):
        shape = (rounds, self.rows, self.variables)
        noise = self.own_normals(rng, rounds).reshape(shape)
        noise *= math.sqrt(1.0 - self.instance.shared)
        noise += math.sqrt(self.instance.shared) * rng.standard_normal((rounds, self.rows, 1))
        return noise

    def pay(self, actions, chance):
        chance += self.instance.means.take(actions, axis=0)
        return chance

    def feedback(self, actions, payoffs):
        return payoffs


class UpUcbLBl(_UnknownSets):
    def observe(self, actions, payoffs):
        at = self.first + actions
        self.pulls[at] = n = self.pulls[at] + 1.0
        payoffs += self.sums.take(at, axis=0)
        self.sums[at] = payoffs
        payoffs *= (1.0 / n)[:, None]
        payoffs -= self.instance.baseline
        radii = np.sqrt(self.twice_alpha / n)
        self.index[at] = padded(payoffs, radii, radii, self.instance.max_affected, False)


class UpUcbL(_UnknownSets):
    def observe(self, actions, payoffs):
        self.round += 1
        at = self.first + actions
        self.pulls[at] += 1.0
        payoffs += self.sums.take(at, axis=0)
        self.sums[at] = payoffs
        counts = self.pulls.reshape(self.rows, self.actions)
        stand_in = counts.argmax(axis=1)
        if self.round < self.actions:
            self.index[at] = 0.0
            return
        # All actions of a run change where the most pulled one was taken or is another now.
        stale = np.zeros((self.rows, self.actions), dtype=bool)
        stale.ravel()[at] = True
        stale[stand_in == actions] = True
        if self.round == self.actions:
            stale[:] = True
        else:
            stale[stand_in != self.stand_in] = True
        self.stand_in = stand_in
        base_at = self.first + stand_in
        stale.ravel()[base_at] = False
        self.index[base_at] = 0.0
        changed = np.flatnonzero(stale)
        if not len(changed):
            return
        runs = changed // self.actions
        base = self.sums.take(base_at, axis=0) / self.pulls[base_at][:, None]
        d = self.sums.take(changed, axis=0)
        d *= (1.0 / self.pulls[changed])[:, None]
        d -= base.take(runs, axis=0)
        radii = np.sqrt(self.twice_alpha / self.pulls[changed])
        base_radii = np.sqrt(self.twice_alpha / self.pulls[base_at])[runs]
        budget = 2 * self.instance.max_affected
        self.index[changed] = padded(d, radii + base_radii, radii - base_radii, budget, True)


def padded(d, widths, extras, budget, positive_only):
    """For each row the sum of d + extra over the identified variables and the padding.

    Identified are those of |d| > width: the largest and the smallest of the row. What counts is
    thus the `low` smallest and the max(budget - low, high) largest. The threshold of the latter
    is read off a row sorted in 32 bits (far faster than 64); the sum is taken in 64 bits, and
    since rounding keeps the order, it is over the right entries unless two are equal in 32 bits.
    """
    size = d.shape[1]
    widths = widths[:, None]
    smallest = d < -widths
    low = np.count_nonzero(smallest, axis=1)
    count = np.maximum(budget - low, np.count_nonzero(d > widths, axis=1))
    short = d.astype(np.float32)
    ordered = np.sort(short, axis=1)
    threshold = ordered[np.arange(len(d)), np.minimum(size - count, size - 1)]
    chosen = short >= threshold[:, None]
    excess = np.count_nonzero(chosen, axis=1) - count
    values = d + extras[:, None]
    bottom = np.einsum("ij,ij->i", values, smallest) if low.any() else 0.0
    edge = threshold + extras
    if positive_only:
        np.maximum(values, 0.0, out=values)
        edge = np.maximum(edge, 0.0)
    return np.einsum("ij,ij->i", values, chosen) - excess * edge + bottom


_POLICIES = {
    "ucb": Ucb,
    "ts": Ts,
    "up_ucb_bl": UpUcbBl,
    "up_ucb": UpUcb,
    "up_ucb_l_bl": UpUcbLBl,
    "up_ucb_l": UpUcbL,
}


def Batched(case, each_round):
    return _POLICIES[case.policy](case, each_round)
