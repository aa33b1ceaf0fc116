"""Decision logs: writing, reading, evaluating, warm starts."""

import numpy as np
import pytest

import updraft as ud

WIDE = "decision,action,probability,tea,cake\n7,news,0.25,1,2\n9,none,0.75,3.5,-40\n"


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "log.csv"
    ud.write_log("discounts", "up_ts", path, rounds=300, explore=1.0)
    return path


def test_a_written_log_is_read_back(tmp_path, log):
    wide = ud.read_log(log)
    assert wide["action"].shape == wide["probability"].shape == (300,)
    assert wide["payoffs"].shape == (300, len(wide["variables"]))
    np.testing.assert_allclose(wide["probabilities"].sum(axis=1), 1.0)
    np.testing.assert_allclose(wide["probability"], 1 / len(wide["actions"]))
    packed = tmp_path / "long.ndjson.gz"
    ud.write_log("discounts", "up_ts", packed, rounds=300, explore=1.0, long=True)
    long = ud.read_log(packed, actions=wide["actions"])
    np.testing.assert_array_equal(long["payoffs"], wide["payoffs"])


def test_columns_of_others(tmp_path):
    path = tmp_path / "clicks.csv"
    path.write_text("arm,pscore,age,clicks\nx,0.5,40,1\ny,0.5,50,\n")
    read = ud.read_log(
        path,
        columns={"action": "arm", "probability": "pscore"},
        payoff_columns=["clicks"],
        absent="zero",
    )
    assert read["actions"] == ["x", "y"]
    np.testing.assert_array_equal(read["payoffs"], [[1.0], [0.0]])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (WIDE.replace("0.25", "0"), ":2: probability = 0"),
        (WIDE.replace("9,none", "7,none"), ":3: decision = 7"),
        (WIDE.replace("3.5", "x"), ":3: tea = x"),
        ("", "is empty"),
    ],
)
def test_bad_logs_are_refused(tmp_path, text, message):
    path = tmp_path / "log.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        ud.read_log(path)


def test_evaluate(log):
    world = ud.instance("discounts")
    names = ud.read_log(log)["actions"]
    affected = world.knowledge(300)["affected"]
    mixed = {"coin": np.full(len(names), 1 / len(names))}
    values = ud.evaluate(log, "up_ts", fixed=mixed, affected=affected, actions=names)
    assert values.rounds == 300
    assert values[0]["policy"] == "as logged"
    assert {row["estimator"] for row in values if row["policy"] == "coin"} == {
        "ips",
        "snips",
        "dr",
        "uplift_dr",
    }
    assert values[-1]["policy"] == "up_ts" and values[-1]["estimator"] == "replay"
    coin = next(r for r in values if r["policy"] == "coin" and r["estimator"] == "ips")
    assert coin["value"] == pytest.approx(values[0]["value"])  # the log is uniform
    assert all(row["low"] <= row["value"] <= row["high"] for row in values)
    assert values.to_pandas().shape[0] == len(values)
    with pytest.raises(ValueError, match="add up to 1"):
        ud.evaluate(log, fixed={"half": [0.5] * len(names)})
    with pytest.raises(TypeError, match="colunms"):
        ud.evaluate(log, colunms={})


def test_a_policy_learns_from_a_log(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("action,0,1\n0,1,2\n1,3,4\n1,5,6\n")
    fitted = ud.policy("up_ts", actions=2, variables=2, affected=[[0], [1]])
    assert fitted.fit(path) == 3
    played = ud.policy("up_ts", actions=2, variables=2, affected=[[0], [1]])
    for action, payoffs in ((0, [1, 2]), (1, [3, 4]), (1, [5, 6])):
        played.update(action, payoffs)
    np.testing.assert_array_equal(fitted.pulls, [1, 2])
    np.testing.assert_array_equal(fitted.explain()["uplift"], played.explain()["uplift"])
    path.write_text("action,0,1\n0,1,2\n2,3,4\n")
    fresh = ud.policy("up_ts", actions=2, variables=2, affected=[[0], [1]])
    with pytest.raises(ValueError, match=":3: action = 2"):
        fresh.fit(path)
    assert fresh.observations == 0
