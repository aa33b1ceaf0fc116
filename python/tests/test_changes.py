"""Instances whose means change with the rounds."""

import json

import numpy as np
import pytest

import updraft as ud


def test_changes_are_those_of_the_file():
    flip = ud.instance("flip")
    assert flip.changes == [{"change": "flip", "action": "b", "at": 1000, "factor": -0.5}]
    assert ud.instance(json.loads(flip.to_json())) == flip
    assert ud.instance("steady").changes == []


def test_an_environment_knows_the_truth_of_a_round():
    environment = ud.instance("flip").environment()
    assert np.allclose(environment.uplifts(999), [1, 4, 2, 3, 0.5])
    assert np.allclose(environment.uplifts(1000), [1, -2, 2, 3, 0.5])
    assert np.allclose(environment.gaps(1000), [2, 5, 1, 0, 2.5])


def test_walks_are_a_function_of_seed_and_run():
    walk = ud.instance("walk")
    first = walk.environment(seed=1, run=2).uplifts(500)
    assert np.array_equal(first, walk.environment(seed=1, run=2).uplifts(500))
    assert not np.array_equal(first, walk.environment(seed=1, run=3).uplifts(500))


def test_broken_changes_are_refused():
    definition = json.loads(ud.instance("flip").to_json())
    definition["changes"][0]["action"] = "z"
    with pytest.raises(ValueError, match=r"changes\[0\].action = z: must be one of the names"):
        ud.instance(definition)
