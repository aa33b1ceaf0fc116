"""Many calls leave nothing behind: a million of select() and update(), fewer of what takes longer."""

import gc
import os
import sys

import numpy as np
import pytest

import updraft as ud

CALLS = 1_000_000
MOST_BYTES = 2**20  # about what the allocator itself may be off by

if not os.path.exists("/proc/self/statm"):
    pytest.skip("needs /proc", allow_module_level=True)
if "libasan" in os.environ.get("LD_PRELOAD", ""):
    pytest.skip("the address sanitizer keeps what is freed for a while", allow_module_level=True)


def resident_bytes():
    gc.collect()
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def bytes_kept(work, calls=CALLS):
    work(calls // 10)  # buffers and caches reach their size
    before = resident_bytes()
    work(calls)
    return resident_bytes() - before


PAYOFFS = {
    "dense": np.arange(100.0),
    "float32": np.arange(100, dtype=np.float32),
    "sparse": (np.array([3, 50, 99]), np.array([1.0, 2.0, 3.0])),
}


@pytest.mark.parametrize("form", PAYOFFS)
def test_select_and_update(form):
    policy = ud.policy("up_ucb(alpha=3)", 10, 100, affected=[range(10 * a, 10 * a + 10) for a in range(10)])
    payoffs = PAYOFFS[form]
    references = sys.getrefcount(payoffs)

    def work(calls):
        for _ in range(calls):
            policy.update(policy.select(), payoffs)

    assert bytes_kept(work) < MOST_BYTES
    assert sys.getrefcount(payoffs) == references
    assert policy.observations == CALLS + CALLS // 10


def test_refusals():
    policy = ud.policy("ucb(alpha=2)", 2, 3)

    def work(calls):
        for _ in range(calls):
            try:
                policy.update(0, [1.0, float("nan"), 2.0])
            except ValueError:
                pass

    assert bytes_kept(work, CALLS // 10) < MOST_BYTES
    assert policy.observations == 0


@pytest.mark.parametrize("what", ["explain", "pickle", "targeting", "simulate"])
def test_others(what):
    import pickle

    policy = ud.policy("up_ucb_l(alpha=2)", 3, 20, max_affected=4)
    targeting = ud.targeting("c2_up_ucb(beta=1)", features=3, budget=2)
    X, y = np.random.default_rng(1).uniform(size=(8, 3)), np.ones(8)
    for action in range(3):
        policy.update(action, np.ones(20))
    one = {
        "explain": policy.explain,
        "pickle": lambda: pickle.loads(pickle.dumps(policy)),
        "targeting": lambda: (targeting.update(X, targeting.select(X), y), targeting.explain(X)),
        "simulate": lambda: ud.simulate("gaussian", "ucb(alpha=2)", rounds=20, runs=1, threads=1),
    }[what]

    def work(calls):
        for _ in range(calls):
            one()

    assert bytes_kept(work, 500 if what == "simulate" else 20_000) < MOST_BYTES
