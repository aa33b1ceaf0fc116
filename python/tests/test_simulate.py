"""simulate, bounds and instances."""

import io
import json
import os
import signal
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest

import updraft as ud
from updraft._progress import ProgressBar

LONG = dict(rounds=10_000_000, runs=100)


def test_shapes_of_a_result():
    result = ud.simulate("gaussian", ["ucb(alpha=2)", "auto"], rounds=50, runs=3, curve_points=5)
    assert list(result["policy"]) == ["ucb(alpha=2)", "up_ts_bl"]
    for key in ("mean", "sd", "stderr", "p95"):
        assert result[key].shape == (2,)
        assert result[f"curve_{key}"].shape == (2, 5)
    assert result["runs"].shape == (2, 3)
    assert result["pulls"].shape == (2, 10)
    assert list(result["curve_round"]) == [10, 20, 30, 40, 50]
    assert np.allclose(result["pulls"].sum(axis=1), 50)
    assert np.allclose(result["runs"].mean(axis=1), result["mean"])
    assert "ucb(alpha=2)" in repr(result) and "50 rounds" in repr(result)


def test_results_become_data_frames():
    pandas = pytest.importorskip("pandas")
    result = ud.simulate("gaussian", ["ucb(alpha=2)", "up_ts"], rounds=50, runs=3, curve_points=5)
    summary = result.to_pandas()
    assert list(summary.columns) == ["policy", "mean", "sd", "stderr", "p95"]
    assert list(summary["mean"]) == list(result["mean"])
    runs = result.to_pandas("runs")
    assert len(runs) == 6
    assert runs.groupby("policy")["regret"].mean()["up_ts"] == pytest.approx(result["mean"][1])
    curve = result.to_pandas("curve")
    assert len(curve) == 10
    assert list(curve[curve["policy"] == "up_ts"]["mean"]) == list(result["curve_mean"][1])
    with pytest.raises(ValueError, match="must be summary, runs or curve"):
        result.to_pandas("else")
    bounds = ud.bounds("gaussian", rounds=100).to_pandas()
    assert isinstance(bounds, pandas.DataFrame)
    assert {"name", "kind", "value", "formula", "reference", "alpha", "expected"} == set(bounds.columns)


def test_threads_do_not_matter():
    results = [ud.simulate("gaussian", "up_ts", rounds=100, runs=4, threads=n) for n in (1, 3)]
    assert np.array_equal(results[0]["runs"], results[1]["runs"])


def test_known_less():
    known = ud.simulate("gaussian", "auto", rounds=20, runs=1, tell=["affected"])
    assert list(known["policy"]) == ["up_ts"]
    assert ud.simulate("gaussian", "ucb(alpha=1)", rounds=20, runs=1, tell=[])["mean"].shape == (1,)
    with pytest.raises(ValueError, match="tell = afected: unknown; did you mean affected"):
        ud.simulate("gaussian", "auto", tell=["afected"])
    with pytest.raises(ValueError, match="affected"):
        ud.simulate("gaussian", "up_ucb(alpha=1)", tell=["baseline"])


@pytest.mark.parametrize(
    "options, message",
    [
        ({"rounds": 0}, "rounds = 0: must be a whole number from 1 to 4294967295"),
        ({"rounds": 2**32}, "rounds = 4294967296: must be a whole number"),
        ({"rounds": 10.0}, "rounds = 10.0: must be a whole number"),
        ({"runs": 0}, "runs = 0"),
        ({"runs": -3}, "runs = -3"),
        ({"threads": 5000}, "threads = 5000: must be a whole number from 0 to 1024"),
        ({"curve_points": 0}, "curve_points = 0"),
        ({"seed": -1}, "seed = -1"),
        ({"progress": 3}, "progress = 3: must be True, False or a function"),
        ({"policies": []}, "policies: give at least one"),
        ({"policies": "up_cub"}, "did you mean"),
        ({"instance": "gausian"}, "gausian"),
        ({"instance": {"format": "else"}}, "format"),
    ],
    ids=str,
)
def test_refused_simulations(options, message):
    with pytest.raises(ValueError, match=message):
        ud.simulate(**{"instance": "gaussian", "policies": "ucb(alpha=1)", **options})


def test_progress_is_told():
    shares = []
    ud.simulate("criteo", "ucb(alpha=1)", rounds=200, runs=2, progress=shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_what_progress_raises_stops_the_simulation():
    def refuse(share):
        raise KeyError("enough")

    start = time.monotonic()
    with pytest.raises(KeyError, match="enough"):
        ud.simulate("gaussian", "ucb(alpha=2)", **LONG, progress=refuse)
    assert time.monotonic() - start < 5.0


class Screen(io.StringIO):
    """A stderr that is a terminal, or is not."""

    def __init__(self, terminal):
        super().__init__()
        self.isatty = lambda: terminal


def test_progress_on_a_terminal_is_a_bar_that_is_wiped(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Screen(terminal=True))
    ud.simulate("gaussian", "ucb(alpha=2)", rounds=10, runs=1, progress=True)
    assert f"[{30 * '#'}] 100 %" in sys.stderr.getvalue()
    assert sys.stderr.getvalue().endswith("\r\033[K")


def test_progress_elsewhere_is_a_line_now_and_then(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Screen(terminal=False))
    seconds = iter([0, 1, 6, 7, 12])
    monkeypatch.setattr(time, "monotonic", lambda: next(seconds))
    with ProgressBar() as bar:
        for share in (0.1, 0.4, 0.5, 0.75):
            bar(share)
    assert sys.stderr.getvalue() == (
        "updraft: 40 % done, about 9 s left\nupdraft: 75 % done, about 4 s left\n"
    )


def test_other_threads_go_on_meanwhile():
    """Were the interpreter's lock kept, nothing here would run before the simulation ends."""
    inside, done = threading.Event(), threading.Event()

    def progress(share):
        inside.set()
        if done.is_set():
            raise InterruptedError

    def simulate():
        with pytest.raises(InterruptedError):
            ud.simulate("gaussian", "ucb(alpha=2)", **LONG, progress=progress)

    thread = threading.Thread(target=simulate)
    thread.start()
    assert inside.wait(timeout=30)
    assert sum(range(1_000_000)) == 499_999_500_000
    assert thread.is_alive()
    done.set()
    thread.join(timeout=30)
    assert not thread.is_alive()


@pytest.mark.parametrize(
    "instance, spec", [("gaussian", "ucb(alpha=2)"), ("criteo", "up_ucb_l(alpha=1e-4)")]
)
def test_ctrl_c_returns_soon(instance, spec):
    program = f"""
import time, updraft as ud
def ready(share):
    if share > 0.0: print("playing", flush=True)
try:
    ud.simulate({instance!r}, {spec!r}, rounds=10_000_000, runs=100, progress=ready)
except KeyboardInterrupt:
    print("stopped", time.time(), flush=True)
"""
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout.readline() == "playing\n"
        sent = time.time()
        os.kill(child.pid, signal.SIGINT)
        out, _ = child.communicate(timeout=30)
    finally:
        child.kill()
    last = out.splitlines()[-1].split()
    assert last[0] == "stopped"
    assert float(last[1]) - sent < 10.0  # a tenth of a second where nothing else runs
    assert child.returncode == 0


def test_instances(gaussian, tmp_path):
    assert set(ud.instances()) >= {"gaussian", "criteo", "marketing"}
    assert (gaussian.actions, gaussian.variables) == (10, 100)
    assert gaussian.baseline.shape == (100,)
    assert len(gaussian.affected) == 10
    assert max(map(len, gaussian.affected)) == gaussian.max_affected
    best = gaussian.best_action
    assert gaussian.gaps[best] == 0.0
    assert gaussian.rewards.argmax() == best
    assert gaussian.means(best).sum() == pytest.approx(gaussian.rewards[best])
    assert gaussian.uplifts[0] == pytest.approx(gaussian.rewards[0] - gaussian.baseline.sum())
    assert repr(gaussian) == "<updraft.Instance gaussian: 10 actions, 100 variables>"

    path = tmp_path / "mine.json"
    path.write_text(gaussian.to_json())
    assert ud.instance(path) == ud.instance(str(path)) == gaussian
    assert ud.instance(json.loads(gaussian.to_json())) == gaussian
    assert ud.instance(gaussian) is gaussian


def test_arrays_of_an_instance_outlive_it_and_cannot_be_changed():
    gaps = ud.instance("gaussian").gaps
    assert gaps.min() == 0.0
    with pytest.raises(ValueError, match="read-only"):
        gaps[0] = 1.0


def test_payoffs_can_be_drawn():
    criteo = ud.instance("criteo")
    environment = criteo.environment(seed=3, run=1)
    first = environment.draw(5, 2)
    assert set(np.unique(first)) <= {0.0, 1.0}
    assert np.array_equal(first, criteo.environment(seed=3, run=1).draw(5, 2))
    assert not np.array_equal(first, environment.draw(6, 2))
    with pytest.raises(ValueError, match="action = 20: must be below the number of actions, 20"):
        environment.draw(0, 20)
    counts, means = environment.observe_baseline(10)
    assert (counts == 10).all() and means.shape == (criteo.variables,)


def test_bounds():
    found = ud.bounds("hard-affected", rounds=100_000)
    assert found["lower_affected"] < found["up_ucb_bl"]
    with pytest.raises(ValueError, match="max_affected = 1: must be from 10, the most that an "):
        ud.bounds("gaussian", rounds=100, max_affected=1)
    with pytest.raises(ValueError, match=r"delta = 1: must be in \(0, 1\)"):
        ud.bounds("gaussian", rounds=100, delta=1.0)
    with pytest.raises(ValueError, match="min_uplift = 0: must be > 0"):
        ud.bounds("gaussian", rounds=100, min_uplift=0.0)
    with pytest.raises(ValueError, match="effect_gap = 0: must be > 0"):
        ud.bounds("gaussian", rounds=100, effect_gap=0.0)
    # Thm 4 takes the effect gap, Thm 3 the least individual uplift.
    hard, less = (ud.bounds("hard-affected", rounds=100, effect_gap=gap) for gap in (None, 1e-3))
    assert less["up_ucb_ilift"] > hard["up_ucb_ilift"]
    assert less["up_ucb_ilift_bl"] == hard["up_ucb_ilift_bl"]
    with pytest.raises(ValueError, match="effect_gap = 1: must be at most that of the instance"):
        ud.bounds("gaussian", rounds=100, effect_gap=1.0)
    with pytest.raises(ValueError, match="min_uplift = 1: must be at most that of the instance"):
        ud.bounds("gaussian", rounds=100, min_uplift=1.0)


def test_bounds_take_an_l_for_each_action():
    known = [10, 10, 10, 20, 10, 10, 10, 10, 10, 10]
    each = ud.bounds("gaussian", rounds=100, max_affected=known)
    one = ud.bounds("gaussian", rounds=100)
    gap = ud.instance("gaussian").gaps[3]
    # 32 L(a)^2 alpha / gap, of the one action whose L(a) is larger.
    more = 32 * (20**2 - 10**2) * each.alpha["up_ucb_l_bl"] / gap
    assert each["up_ucb_l_bl"] == pytest.approx(one["up_ucb_l_bl"] + more)
    assert each["up_ucb_l"] > one["up_ucb_l"]
    assert each["up_ucb_bl"] == one["up_ucb_bl"]
    assert dict(ud.bounds("gaussian", rounds=100, max_affected=np.array(known))) == dict(each)
    for bad, message in [
        (known[:9], "max_affected = 9 numbers: must have one for each of the 10 actions"),
        ([9] + known[1:], r"max_affected\[0\] = 9: must be from 10, as many as action 0 affects"),
        ([101] + known[1:], r"max_affected\[0\] = 101: must be from 10, .* variables, 100"),
        ([10.5] + known[1:], "must be an array of integers"),
        ([], "max_affected = 0 numbers"),
        ("10", "max_affected"),
    ]:
        with pytest.raises(ValueError, match=message):
            ud.bounds("gaussian", rounds=100, max_affected=bad)


def wide_instance():
    wide = json.loads(ud.instance("gaussian").to_json())
    wide["noise"] = {"kind": "gaussian", "covariance": "identity", "variance": 100}
    return wide


def test_bounds_are_for_the_noise_of_the_instance():
    wide = wide_instance()
    assert ud.instance(wide).variance_proxy == 100.0
    assert ud.instance(wide).reward_variance_proxy == pytest.approx(100 * 100)
    found, narrow = ud.bounds(wide, rounds=1000), ud.bounds("gaussian-weak", rounds=1000)
    gaps = ud.instance(wide).gaps.sum()
    assert (found["up_ucb"] - gaps) / (narrow["up_ucb"] - gaps) == pytest.approx(100)
    assert found.alpha["up_ucb"] == pytest.approx(100 * narrow.alpha["up_ucb"])
    # Independent noise: the reward has variance 100 m = m^2, as ucb's theorem allows.
    assert found["ucb"] == pytest.approx(narrow["ucb"])
    expected = ud.bounds("gaussian-weak", rounds=1000, delta=1 / 1000)
    largest = ud.instance(wide).gaps.max()
    assert narrow.expected["up_ucb"] == pytest.approx(expected["up_ucb"] + largest)


def test_targeting_bounds():
    found = ud.targeting_bounds(
        features=2, individuals=12, budget=3, rounds=8, delta=0.1, ridge=4, norm_bound=0.5
    )
    assert found["c2_up_ucb"] == pytest.approx(200.0320078579227)
    with pytest.raises(ValueError, match="ridge = 1: must be at least the budget, 3"):
        ud.targeting_bounds(features=2, individuals=12, budget=3, rounds=8, ridge=1)
    with pytest.raises(ValueError, match="features = 0"):
        ud.targeting_bounds(features=0, individuals=12, budget=3, rounds=8)


def test_the_older_names_of_targeting_still_work():
    with pytest.warns(DeprecationWarning, match=r"is now updraft.targeting_bounds\(\)"):
        older = ud.campaign_bounds(12, 100, 10, 2000)
    assert older == ud.targeting_bounds(12, 100, 10, 2000)
    with pytest.warns(DeprecationWarning, match=r"is now updraft.targeting\(\)"):
        assert ud.campaign("greedy", features=2, budget=1).kind == "targeting"


def test_simulate_warns_of_noise_wider_than_the_theorem_allows():
    class Lazy:
        def __init__(self, actions, variables):
            pass

        def select(self):
            return 0

        def update(self, action, payoffs):
            pass

    wide, options = wide_instance(), {"rounds": 20, "runs": 1}
    for policies in (["up_ucb(delta=0.05)", "up_ucb(alpha=9)"], [Lazy, "up_ucb(delta=0.05)"]):
        with pytest.warns(UserWarning, match=r"up_ucb\(delta=0.05\): the alpha that delta gives") as caught:
            result = ud.simulate(wide, policies, **options)
        assert result.warnings == [str(warning.message) for warning in caught]
        assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ud.simulate("gaussian", ["up_ucb(delta=0.05)"], **options).warnings == []
        assert "warnings" not in ud.simulate("gaussian", ["up_ts"], **options)


def test_auto_warns_of_what_the_alpha_of_a_theorem_costs():
    cost = r"^auto\(delta=0.05\) is ucb\(delta=0.05\): .* can cost a hundred times the regret"
    with pytest.warns(UserWarning, match=cost) as caught:
        assert ud.policy("auto(delta=0.05)", actions=2, variables=3, horizon=10).spec == "ucb(delta=0.05)"
    assert [warning.filename for warning in caught] == [__file__]
    with pytest.warns(UserWarning, match=cost) as caught:
        result = ud.simulate("gaussian", "auto(delta=0.05)", rounds=20, runs=1, tell=["horizon"])
    assert result.warnings == [str(warning.message) for warning in caught]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match=cost):
            ud.policy("auto(delta=0.05)", actions=2, variables=3, horizon=10)
        for spec in ("auto", "auto(alpha=2)", "ucb(delta=0.05)"):
            ud.policy(spec, actions=2, variables=3, horizon=10)


def test_simulate_warns_of_what_is_not_true_of_the_instance():
    options = {"rounds": 20, "runs": 1}
    told = ["up_ucb_ilift_bl(alpha=1, min_uplift=0.2)", "up_ucb_ilift(alpha=1, effect_gap=0.1)"]
    with pytest.warns(UserWarning, match="Its theorem does not hold") as caught:
        result = ud.simulate("gaussian", told, **options)
    assert result.warnings == [str(warning.message) for warning in caught]
    assert [note.split(":")[0] for note in result.warnings] == told
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ud.simulate("gaussian", ["up_ucb_ilift_bl(alpha=1, min_uplift=0.1)"], **options)


def test_simulate_on_contexts_plays_specs_and_refuses_the_rest():
    options = {"rounds": 30, "runs": 2, "seed": 4}
    result = ud.simulate("contextual-linear(actions=4)", "lin_up_ucb(beta=1)", **options)
    assert result["runs"].shape == (1, 2) and result["pulls"].shape == (1, 4)
    assert result["pulls"].sum() == pytest.approx(30)
    known = ud.simulate("contextual-linear", ["lin_up_ucb(beta=1, max_affected=8)"], tell=[], **options)
    assert known["mean"].shape == (1,)
    for world, policies, more, message in [
        ("contextual-linear", "lin_up_ucb(beta=1)", {"tell": []}, "affected"),
        ("contextual-linear", "up_ts", {}, "is for single actions"),
        ("contextual-linear", "auto", {}, "is for single actions"),
        ("contextual-linear", [object], {}, "takes specs only"),
        ("contextual-linear", [], {}, "give at least one"),
        ("contextual-linear(noise=2)", "lin_ucb(beta=1)", {}, "did you mean noise_sd"),
        ("contextual-linear(noise_sd=0)", "lin_ucb(beta=1)", {}, "noise_sd = 0: must be > 0"),
        ("contextual-linear(noise_sd=nan)", "lin_ucb(beta=1)", {}, "noise_sd = nan: must be > 0"),
        ("contextual-linear(actions=2.5)", "lin_ucb(beta=1)", {}, "actions = 2.5: must be a whole"),
        ("contextual-linear(actions=2", "lin_ucb(beta=1)", {}, "must end with a parenthesis"),
        ("contextual-linear(seed=1,seed=2)", "lin_ucb(beta=1)", {}, "seed: must be given once"),
        ("gaussian", "lin_ucb(beta=1)", {}, "is for actions with contexts"),
    ]:
        with pytest.raises(ValueError, match=message):
            ud.simulate(world, policies, **options, **more)


def test_simulate_warns_of_noise_on_contexts():
    options = {"rounds": 20, "runs": 1}
    with pytest.warns(UserWarning, match=r"lin_ucb\(delta=0.05\): the beta that delta gives is valid") as caught:
        result = ud.simulate(
            "contextual-linear(noise_sd=3)", ["lin_ucb(delta=0.05)", "lin_ucb(beta=1)"], **options)
    assert result.warnings == [str(warning.message) for warning in caught]
    assert len(caught) == 1 and "(sigma^2) is 9" in result.warnings[0]
    assert "3 times as large" in result.warnings[0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ud.simulate("contextual-linear", ["lin_ucb(delta=0.05)"], **options).warnings == []


def test_an_instance_names_both_deltas():
    gaussian = ud.instance("gaussian")
    means = np.array([gaussian.means(a) for a in range(gaussian.actions)])
    uplifts = [abs(means[a, i] - gaussian.baseline[i]) for a, v in enumerate(gaussian.affected) for i in v]
    gaps = [
        abs(means[a, i] - means[b, i])
        for a, v in enumerate(gaussian.affected)
        for i in v
        for b in range(gaussian.actions)
        if b != a
    ]
    assert gaussian.min_uplift == pytest.approx(min(uplifts))
    assert gaussian.effect_gap == pytest.approx(min(gaps))
    known = gaussian.knowledge(100)
    assert known["effect_gap"] == gaussian.effect_gap < known["min_uplift"] == gaussian.min_uplift


def test_up_ucb_ilift_needs_an_effect_gap():
    alike = {
        "format": "updraft-instance/1",
        "name": "alike",
        "actions": ["a", "b"],
        "variables": [{"count": 3, "baseline": 0}],
        "effects": [
            {"action": "a", "variables": [[0, 1]], "mean": 1},
            {"action": "b", "variables": [[0, 2]], "mean": 1},
        ],
        "noise": {"kind": "gaussian", "covariance": "identity"},
    }
    assert ud.instance(alike).effect_gap == 0.0 and ud.instance(alike).min_uplift == 1.0
    with pytest.raises(ValueError, match="effect_gap: must be given: alike has none, because two"):
        ud.simulate(alike, ["up_ucb_ilift(alpha=1)"], rounds=10, runs=1)
    with pytest.warns(UserWarning, match="effect_gap is 1, but the instance has none"):
        ud.simulate(alike, ["up_ucb_ilift(alpha=1, effect_gap=1)"], rounds=10, runs=1)
    assert np.isnan(ud.bounds(alike, rounds=100)["up_ucb_ilift"])
    with pytest.raises(ValueError, match="rounds = 0"):
        ud.bounds("gaussian", rounds=0)


def test_registered_policies():
    for policy in ud.policies() + ud.policies("targeting"):
        assert policy["summary"] and policy["status"] in ("verified", "light", "experimental")
        for parameter in policy["parameters"]:
            assert parameter["name"] and parameter["help"]
    assert ud.version == ud.__version__
