"""Statements that hold at every time: settled, gain over a holdout, guardrails."""

import numpy as np
import pytest
import updraft as ud

AFFECTED = [[0], [1], [2]]


def play(evidence, rounds, effects, rng):
    for _ in range(rounds):
        decision = evidence.decide()
        payoffs = rng.normal(size=4) + rng.normal()
        payoffs[decision.action] += effects[decision.action]
        evidence.update(decision, payoffs)


def made(**options):
    policy = ud.policy("up_ts", actions=3, variables=4, affected=AFFECTED)
    return ud.Evidence(policy, action_names=["none", "mail", "call"], **options)


def test_says_what_is_settled_and_gained():
    evidence = made(control=0, holdout=0.2, probe=0.1)
    before = evidence.settled()
    assert not before["settled"] and "leader" not in before
    assert "gain" not in evidence.gain()
    play(evidence, 600, [0.0, 2.0, 0.5], np.random.default_rng(1))
    now = evidence.settled()
    assert now["settled"] and now["best"] == "mail"
    assert now["text"].startswith("settled: mail is best, error at most 5 %")
    best = evidence.policy.explain()["probability_best"][1]
    assert best >= 0.95
    gain = evidence.gain()
    assert gain["control"] == "none" and not gain["disagree"]
    assert gain["low"] < 2.0 * (1 - 0.2) + 0.7 and gain["high"] > 1.0
    assert gain["by_sets"]["high"] - gain["by_sets"]["low"] < gain["high"] - gain["low"]
    assert abs(gain["held_out"] - 120) < 60


def test_decisions_have_the_probability_of_the_mixture():
    evidence = made(control=0, holdout=0.25)
    whose = {"policy": 0, "holdout": 0, "probe": 0}
    rng = np.random.default_rng(2)
    for _ in range(200):
        decision = evidence.decide()
        whose[decision.of] += 1
        assert 0.0 < decision.probability <= 1.0
        assert decision.action == (0 if decision.of == "holdout" else decision.candidate)
        if decision.action == 0:
            assert decision.probability >= 0.25
        evidence.update(decision, rng.normal(size=4))
    assert whose["probe"] == 0 and 20 <= whose["holdout"] <= 80
    assert evidence.policy.pulls.sum() == 200


def test_guardrails_name_the_action_and_pause_it():
    evidence = made(
        control=0, holdout=0.2, guardrails={"first": ([0], 9.0), "second": [1]}, pause=True
    )
    rng = np.random.default_rng(3)
    for _ in range(60):
        for action in range(3):
            payoffs = rng.normal(size=4)
            payoffs[1] -= 4.0 * (action == 1)
            evidence.update(action, payoffs)
    (alarm,) = evidence.guardrails()
    assert alarm["guardrail"] == "second" and alarm["action"] == "mail" and alarm["pauses"]
    assert alarm["high"] < 0.0
    assert evidence.paused == [1]
    assert all(evidence.decide().action != 1 for _ in range(50))
    assert evidence.gain()["counted"] == 0  # rounds that were not decided here


def test_refuses_what_cannot_be():
    policy = ud.policy("up_ts", actions=3, variables=4, affected=AFFECTED)
    for options, message in [
        ({"holdout": 0.1}, "needs a control action"),
        ({"control": 3}, "below the number of actions"),
        ({"error": 0.9}, "must be in"),
        ({"guardrails": {"x": [0]}}, "needs a control action or a baseline"),
        ({"control": 0, "guardrails": {"x": [7]}}, "below the number of variables"),
    ]:
        with pytest.raises(ValueError, match=message):
            ud.Evidence(policy, **options)
    with pytest.raises(ValueError, match="plain"):
        ud.Evidence(ud.targeting("random", features=2, budget=1))


def test_reads_a_log_with_a_holdout(tmp_path):
    path = tmp_path / "log.csv.gz"
    names = ud.instance("marketing").action_names
    ud.write_log(
        "marketing", "up_ts", path, rounds=400, explore=0.2, holdout=(names[0], 0.3), seed=2
    )
    found = ud.evidence_of(path, control=names[0], guardrails={"some": ["0", "1"]})
    assert found["rounds"] == 400
    assert found["gain"]["control"] == names[0] and found["gain"]["held_out"] > 80
    assert found["settled"]["text"]
    with pytest.raises(ValueError, match="control"):
        ud.evidence_of(path, control="nobody")
    with pytest.raises(ValueError, match="some"):
        ud.evidence_of(path, control=names[0], guardrails={"some": ["nothing"]})
    with pytest.raises(ValueError, match="holdout"):
        ud.write_log("marketing", "up_ts", path, holdout=("nobody", 0.1))
