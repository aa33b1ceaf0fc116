"""Vectorised Python rivals of Updraft: the same decisions with numpy and numba.

There are two groups. The straightforward ones draw once a round, with numpy's default generator
or numba's own. The strongest draw blocks of many rounds from numpy's fastest generator. They
share the policies; what differs is how and when numbers are drawn, and numba's padding.

Every yardstick has

    Yardstick(case, ...)       ready to play `case` (an instance, a policy and its parameter)
    start()                    forget everything, back to round 0
    choose(normals)            the action to take; `normals` are for ts, one per action
    observe(action, feedback)  what that round paid
    feedback(action, payoffs)  what observe() takes, made of all payoffs of a round
    indices(normals)           the index of every action, to judge ties
    advance(rounds, rng)       play on: environment and policy; this is what is timed

Batched yardsticks take arrays: an action per run, [run, variable] payoffs.

advance() uses the very choose() and observe() that are checked against Updraft's decisions. What
it draws itself is the environment's part: payoffs, or the sums of payoffs that observe() takes.
"""
