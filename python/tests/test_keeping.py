"""Pickles, copies and files: the same next decisions, bit for bit."""

import copy
import pickle

import numpy as np
import pytest
from conftest import TARGETING_SPECS, SPECS, known
from test_targeting import made as made_targeting
from test_targeting import play as play_targeting
from test_decisions import drive

import updraft as ud

WAYS = {
    "pickle": lambda policy, path: pickle.loads(pickle.dumps(policy)),
    "copy": lambda policy, path: copy.copy(policy),
    "deepcopy": lambda policy, path: copy.deepcopy([policy])[0],
    "file": lambda policy, path: saved_and_loaded(policy, path),
}


def saved_and_loaded(policy, path):
    ud.save(policy, path)
    return ud.load(path, seed=policy.seed, run=policy.run)


def same(one, other):
    """Whether two explanations are equal, bit for bit."""
    return one.keys() == other.keys() and all(
        np.array_equal(np.asarray(a), np.asarray(b), equal_nan=np.asarray(a).dtype.kind == "f")
        for key in one
        for a, b in (zip(one[key], other[key]) if isinstance(one[key], list)
                     else [(one[key], other[key])])
    )


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", SPECS)
def test_a_kept_policy_goes_on_alike(gaussian, tmp_path, name, way):
    policy = ud.policy(SPECS[name], **known(gaussian, 300), seed=9, run=4)
    drive(policy, gaussian.environment(seed=1), 60)
    kept = WAYS[way](policy, tmp_path / "policy")
    assert (kept.spec, kept.seed, kept.run) == (policy.spec, 9, 4)
    assert (kept.decisions, kept.observations) == (60, 60)
    assert same(kept.explain(), policy.explain())
    later = gaussian.environment(seed=2)
    assert drive(kept, later, 60) == drive(policy, later, 60)
    assert same(kept.explain(), policy.explain())


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", TARGETING_SPECS)
def test_a_kept_targeting_policy_goes_on_alike(tmp_path, name, way):
    policy = made_targeting(TARGETING_SPECS[name], seed=9, run=4)
    play_targeting(policy, 10)
    kept = WAYS[way](policy, str(tmp_path / "policy"))
    assert kept.kind == "targeting"
    assert (kept.spec, kept.seed, kept.run, kept.observations) == (policy.spec, 9, 4, 10)
    assert np.array_equal(play_targeting(kept, 10, seed=2), play_targeting(policy, 10, seed=2))


def test_a_copy_is_a_policy_of_its_own():
    policy = ud.policy("ucb(alpha=2)", actions=2, variables=1)
    other = copy.copy(policy)
    other.update(0, [1.0])
    assert (policy.observations, other.observations) == (0, 1)


def test_pickles_name_the_public_classes():
    assert ud.Policy.__module__ == ud.Decision.__module__ == "updraft"


def test_instances_and_results_can_be_pickled(gaussian):
    assert pickle.loads(pickle.dumps(gaussian)) == gaussian
    result = ud.simulate("gaussian", "ucb(alpha=2)", rounds=20, runs=2)
    again = pickle.loads(pickle.dumps(result))
    assert isinstance(again, ud.SimulationResult)
    assert np.array_equal(again["runs"], result["runs"])
    found = ud.bounds("gaussian", rounds=10)
    assert pickle.loads(pickle.dumps(found)) == found


def test_refused_files(tmp_path):
    policy = ud.policy("ucb(alpha=2)", actions=2, variables=1)
    path = tmp_path / "policy"
    ud.save(policy, path)
    whole = path.read_bytes()

    path.write_bytes(whole[:-1])
    with pytest.raises(ValueError, match="truncated"):
        ud.load(path)
    path.write_bytes(whole[:60] + bytes([whole[60] ^ 1]) + whole[61:])
    with pytest.raises(ValueError, match="damaged"):
        ud.load(path)
    path.write_bytes(b"something else")
    with pytest.raises(ValueError, match="is not a saved policy"):
        ud.load(path)
    with pytest.raises(RuntimeError, match="absent"):
        ud.load(tmp_path / "absent")
    with pytest.raises(RuntimeError, match="absent"):
        ud.save(policy, tmp_path / "absent" / "policy")


def test_refused_pickles():
    state = ud.policy("ucb(alpha=2)", actions=2, variables=1).__getstate__()
    with pytest.raises(ValueError, match="is truncated"):
        ud.Policy.__new__(ud.Policy).__setstate__((state[0][:-1], *state[1:]))
