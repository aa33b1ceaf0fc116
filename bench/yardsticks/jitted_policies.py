"""The six policies for numba: choose(stats, normals) and observe(..., action, payoffs).

Compiled for one thread, with exact floating point (no fastmath). Sums over long arrays are kept
in several lanes, since the compiler may not reorder a sum by itself.
"""

import math

import numpy as np
from numba import njit

# What a policy knows lies in a few arrays, handed over one by one: numba counts references to
# every array of a tuple at every use.
#   stats[field, action]
PULLS, INDEX, TOTALS, MEANS, DEVIATIONS, OWN, SIZES, BASELINES, EDGE, GUESS = range(10)
#   places[field, place]: a place of the payoffs is a variable, or a group of variables
SUM, COUNT, WEIGHT, D, SCRATCH = range(5)  # SUM: of payoffs; up_ucb_l_bl: the known baseline
#   sums[action, variable]: of payoffs, for the policies that are not told V(a)
#   sets[action, :]: how many places V(a) has, and which
#   settings[field]
PARAMETER, VARIABLES, BUDGET, ROUNDS, STAND_IN, PRIOR_MEAN, PRIOR_VARIANCE, NOISE = range(8)


def new_state(case, groups=None):
    """Fresh arrays. observe() takes all payoffs, or their sums over `groups` of variables."""
    instance = case.instance
    actions, variables = instance.means.shape
    groups = [[i] for i in range(variables)] if groups is None else groups
    affected = instance.affected[:, [ids[0] for ids in groups]]
    unknown = case.policy in ("up_ucb_l_bl", "up_ucb_l")

    stats = np.zeros((10, actions))
    stats[INDEX] = np.inf
    stats[EDGE] = -np.inf
    stats[GUESS] = -np.inf
    stats[MEANS] = instance.prior_mean
    stats[DEVIATIONS] = math.sqrt(instance.prior_variance)
    stats[SIZES] = instance.set_sizes
    stats[BASELINES] = instance.set_baselines

    places = np.zeros((5, len(groups)))
    places[WEIGHT] = [len(ids) for ids in groups]
    if unknown:
        places[SUM] = instance.baseline

    kind = np.int16 if instance.binary else np.float64  # fewer than 32768 rounds are played
    sums = np.zeros((actions, variables) if unknown else (1, 1), dtype=kind)

    sets = np.zeros((actions, 1 + affected.sum(axis=1).max()), dtype=np.int64)
    for a, row in enumerate(affected):
        members = np.flatnonzero(row)
        sets[a, : 1 + len(members)] = [len(members), *members]

    budget = (2 if case.policy == "up_ucb_l" else 1) * instance.max_affected
    noise = variables**2 * case.parameter
    prior = instance.prior_mean, instance.prior_variance
    settings = np.array([case.parameter, variables, budget, 0.0, 0.0, *prior, noise])
    return stats, places, sums, sets, settings


@njit
def choose_largest(stats, normals):
    best = 0
    for a in range(1, stats.shape[1]):
        if stats[INDEX, a] > stats[INDEX, best]:
            best = a
    return best


@njit
def total(values):
    s0 = s1 = s2 = s3 = 0.0
    n = len(values) // 4 * 4
    for i in range(0, n, 4):
        s0 += values[i]
        s1 += values[i + 1]
        s2 += values[i + 2]
        s3 += values[i + 3]
    for i in range(n, len(values)):
        s0 += values[i]
    return (s0 + s1) + (s2 + s3)


@njit
def observe_ucb(stats, places, sums, sets, settings, action, payoffs):
    stats[PULLS, action] += 1.0
    n = stats[PULLS, action]
    stats[TOTALS, action] += total(payoffs)
    radius = math.sqrt(2.0 * settings[PARAMETER] / n)
    stats[INDEX, action] = stats[TOTALS, action] / n + settings[VARIABLES] * radius


@njit
def choose_ts(stats, normals):
    best = 0
    most = -np.inf
    for a in range(stats.shape[1]):
        draw = stats[MEANS, a] + stats[DEVIATIONS, a] * normals[a]
        if draw > most:
            most = draw
            best = a
    return best


@njit
def observe_ts(stats, places, sums, sets, settings, action, payoffs):
    noise, variance0 = settings[NOISE], settings[PRIOR_VARIANCE]
    stats[PULLS, action] += 1.0
    stats[TOTALS, action] += total(payoffs)
    spread = noise + stats[PULLS, action] * variance0
    weighed = settings[PRIOR_MEAN] * noise + variance0 * stats[TOTALS, action]
    stats[MEANS, action] = weighed / spread
    stats[DEVIATIONS, action] = math.sqrt(variance0 * noise / spread)


@njit
def pull(stats, settings, action, own):
    """Counts a pull that paid `own` in V(action)."""
    stats[PULLS, action] += 1.0
    n = stats[PULLS, action]
    stats[TOTALS, action] += own
    radius = math.sqrt(2.0 * settings[PARAMETER] / n)
    stats[OWN, action] = stats[TOTALS, action] / n + stats[SIZES, action] * radius


@njit
def set_sum(sets, action, values):
    """The sum of the values at the places of V(action)."""
    result = 0.0
    for j in range(1, 1 + sets[action, 0]):
        result += values[sets[action, j]]
    return result


@njit
def observe_up_ucb_bl(stats, places, sums, sets, settings, action, payoffs):
    pull(stats, settings, action, set_sum(sets, action, payoffs))
    stats[INDEX, action] = stats[OWN, action] - stats[BASELINES, action]


@njit
def observe_up_ucb(stats, places, sums, sets, settings, action, payoffs):
    settings[ROUNDS] += 1.0
    pull(stats, settings, action, set_sum(sets, action, payoffs))
    untouched_sums, counts, weights, upper = places[SUM], places[COUNT], places[WEIGHT], places[D]
    for i in range(len(payoffs)):
        untouched_sums[i] += payoffs[i]
        counts[i] += 1.0
    for j in range(1, 1 + sets[action, 0]):
        i = sets[action, j]
        untouched_sums[i] -= payoffs[i]
        counts[i] -= 1.0
    if settings[ROUNDS] < stats.shape[1]:
        stats[INDEX, action] = 0.0
        return
    twice_alpha = 2.0 * settings[PARAMETER]
    for i in range(len(payoffs)):
        inverse = 1.0 / counts[i]
        upper[i] = untouched_sums[i] * inverse + weights[i] * math.sqrt(twice_alpha * inverse)
    for a in range(stats.shape[1]):
        stats[INDEX, a] = stats[OWN, a] - set_sum(sets, a, upper)


@njit
def add_payoffs(sums, action, payoffs):
    row = sums[action]
    for i in range(len(payoffs)):
        row[i] += payoffs[i]


@njit
def add_ones(sums, action, ones):
    row = sums[action]
    for j in range(len(ones)):
        row[ones[j]] += 1


@njit
def largest_sum(values, size, count):
    """The sum of the `count` largest of the first `size` values, and about the least of these.

    Reorders the values.
    """
    result = 0.0
    pivot = -np.inf
    begin, end = 0, size
    while count > 0:
        if count >= end - begin:
            for i in range(begin, end):
                result += values[i]
            return result, pivot
        a, b, c = values[begin], values[(begin + end) // 2], values[end - 1]
        pivot = max(min(a, b), min(max(a, b), c))
        above, i, below = begin, begin, end  # three parts: > pivot, equal, < pivot
        taken = 0.0
        while i < below:
            x = values[i]
            if x > pivot:
                values[i] = values[above]
                values[above] = x
                taken += x
                above += 1
                i += 1
            elif x < pivot:
                below -= 1
                values[i] = values[below]
                values[below] = x
            else:
                i += 1
        if count < above - begin:
            end = above
        elif count <= below - begin:
            return result + taken + (count - (above - begin)) * pivot, pivot
        else:
            result += taken + (below - above) * pivot
            count -= below - begin
            begin = below
    return result, pivot


@njit
def identified_sum(d, width):
    """The sum of the entries of |d| > width."""
    s0 = s1 = s2 = s3 = 0.0
    n = len(d) // 4 * 4
    for i in range(0, n, 4):
        s0 += d[i] if abs(d[i]) > width else 0.0
        s1 += d[i + 1] if abs(d[i + 1]) > width else 0.0
        s2 += d[i + 2] if abs(d[i + 2]) > width else 0.0
        s3 += d[i + 3] if abs(d[i + 3]) > width else 0.0
    for i in range(n, len(d)):
        s0 += d[i] if abs(d[i]) > width else 0.0
    return (s0 + s1) + (s2 + s3)


@njit
def collect(d, bound, scratch):
    """Copies the entries >= bound to scratch; returns their number."""
    size = 0
    for i in range(len(d)):
        scratch[size] = d[i]
        size += d[i] >= bound
    return size


@njit
def split_at(d, edge):
    """How many entries are > edge, how many equal to it, and the sum of the former."""
    above = equal = 0
    for i in range(len(d)):
        above += d[i] > edge
        equal += d[i] == edge
    s0 = s1 = s2 = s3 = 0.0
    n = len(d) // 4 * 4
    for i in range(0, n, 4):
        s0 += d[i] if d[i] > edge else 0.0
        s1 += d[i + 1] if d[i + 1] > edge else 0.0
        s2 += d[i + 2] if d[i + 2] > edge else 0.0
        s3 += d[i + 3] if d[i + 3] > edge else 0.0
    for i in range(n, len(d)):
        s0 += d[i] if d[i] > edge else 0.0
    return above, equal, (s0 + s1) + (s2 + s3)


@njit
def padded(d, width, extra, budget, positive_only, scratch, edge, guess):
    """The sum of d + extra over the identified variables and the padding; a new edge and guess.

    Identified are those of |d| > width: the largest and the smallest of all. What counts is thus
    the `low` smallest and the budget - low largest, or just the identified if they exceed the
    budget. The last time shows where to look for the largest. Its edge, the least value counted,
    may still be the one where many are equal (0/1 payoffs). Else they are among the values above
    a guess a little below the edge, unless these are too few.
    """
    low = high = 0
    for i in range(len(d)):
        low += d[i] < -width
        high += d[i] > width
    if low + high >= budget:
        return identified_sum(d, width) + (low + high) * extra, edge, guess
    bottom = 0.0
    if low > 0:
        for i in range(len(d)):
            bottom += d[i] if d[i] < -width else 0.0
    bound = -extra if positive_only else -np.inf
    wanted = budget - low
    if len(d) >= 1000 and edge >= bound and edge > -np.inf:
        above, equal, top = split_at(d, edge)
        if above <= wanted <= above + equal:
            return bottom + top + (wanted - above) * edge + budget * extra, edge, guess
    size = collect(d, max(bound, guess), scratch)
    if size < wanted and guess > bound:
        size = collect(d, bound, scratch)
    count = min(size, wanted)
    top, edge = largest_sum(scratch, size, count)
    if count > 0 and edge > -np.inf:
        guess = edge - 0.5 * (top / count - edge)
    return bottom + top + (low + count) * extra, edge, guess


@njit
def padded_by_partition(d, width, extra, budget, positive_only, scratch, edge, guess):
    """The same sum, straightforward: nothing is kept for the next time."""
    result = 0.0
    identified = size = 0
    for i in range(len(d)):
        if abs(d[i]) > width:
            result += d[i] + extra
            identified += 1
        elif not positive_only or d[i] > -extra:
            scratch[size] = d[i]
            size += 1
    count = min(size, max(0, int(budget) - identified))
    if count > 0:
        first = size - count
        result += np.partition(scratch[:size], first)[first:].sum() + count * extra
    return result, edge, guess


@njit
def differences(d, row, inverse, baseline, inverse_b):
    for i in range(len(d)):
        d[i] = row[i] * inverse - baseline[i] * inverse_b


def _up_ucb_l_bl(add, padded):
    """observe() of up_ucb_l_bl: add() takes the payoffs, padded() finds the index."""

    @njit
    def observe(stats, places, sums, sets, settings, action, payoffs):
        add(sums, action, payoffs)
        stats[PULLS, action] += 1.0
        inverse = 1.0 / stats[PULLS, action]
        radius = math.sqrt(2.0 * settings[PARAMETER] * inverse)
        d = places[D]
        differences(d, sums[action], inverse, places[SUM], 1.0)
        edge, guess = stats[EDGE, action], stats[GUESS, action]
        stats[INDEX, action], stats[EDGE, action], stats[GUESS, action] = padded(
            d, radius, radius, settings[BUDGET], False, places[SCRATCH], edge, guess
        )

    return observe


def _up_ucb_l(add, padded):
    """observe() of up_ucb_l."""

    @njit
    def observe(stats, places, sums, sets, settings, action, payoffs):
        add(sums, action, payoffs)
        stats[PULLS, action] += 1.0
        settings[ROUNDS] += 1.0
        actions = stats.shape[1]
        b = 0
        for a in range(1, actions):
            if stats[PULLS, a] > stats[PULLS, b]:
                b = a
        everything = action == b or b != settings[STAND_IN] or settings[ROUNDS] == actions
        settings[STAND_IN] = b
        if settings[ROUNDS] < actions:
            stats[INDEX, action] = 0.0
            return
        d, scratch, row_b = places[D], places[SCRATCH], sums[b]
        inverse_b = 1.0 / stats[PULLS, b]
        radius_b = math.sqrt(2.0 * settings[PARAMETER] * inverse_b)
        for a in range(actions):
            if a == b:
                stats[INDEX, a] = 0.0
            elif everything or a == action:
                inverse = 1.0 / stats[PULLS, a]
                radius = math.sqrt(2.0 * settings[PARAMETER] * inverse)
                differences(d, sums[a], inverse, row_b, inverse_b)
                width, extra = radius + radius_b, radius - radius_b
                edge, guess = stats[EDGE, a], stats[GUESS, a]
                stats[INDEX, a], stats[EDGE, a], stats[GUESS, a] = padded(
                    d, width, extra, settings[BUDGET], True, scratch, edge, guess
                )

    return observe


def _steps(add, padded):
    """choose() and observe() of each policy."""
    return {
        "ucb": (choose_largest, observe_ucb),
        "ts": (choose_ts, observe_ts),
        "up_ucb_bl": (choose_largest, observe_up_ucb_bl),
        "up_ucb": (choose_largest, observe_up_ucb),
        "up_ucb_l_bl": (choose_largest, _up_ucb_l_bl(add, padded)),
        "up_ucb_l": (choose_largest, _up_ucb_l(add, padded)),
    }


# The payoffs of 0/1 instances: the sums over the sets V(a), which do not overlap there, or the
# ids of the ones.
GAUSSIAN, CRITEO = _steps(add_payoffs, padded), _steps(add_ones, padded)
PLAIN_GAUSSIAN = _steps(add_payoffs, padded_by_partition)
PLAIN_CRITEO = _steps(add_ones, padded_by_partition)
