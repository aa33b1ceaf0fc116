"""The requests that the dashboard shows for a campaign without decisions or payoffs: they work as they are."""

import json
import shlex

import pytest
from shop import SHOP, figures


def send_shown(dashboard, service):
    """Sends what the commands on the page say, one after the other."""
    commands = [shlex.split(one.text) for one in dashboard.all("pre")]
    for command in commands:
        assert command[:2] == ["curl", "-X"] and command[-2] == "-d"
        service.request(command[2], command[3].removeprefix(service.address), json.loads(command[-1]))
    return len(commands)


STEPS = [
    ("actions", SHOP, {}),
    ("baseline", {"policy": "greedy_bl", "treatments": 2, "budget": 3, "features": 20},
     {"pool": [[0.0] * 20] * 3, "baseline": [0.0] * 3}),
    ("contexts", {"policy": "lin_up_ucb_bl(delta=0.1)", "actions": 3, "features": 3},
     {"context": [[0.0] * 3], "affected": [[0], [], []], "baseline": [0.0]}),
    ("fixed", {"policy": "lin_up_ucb(beta=1, max_affected=2)", "actions": 2, "features": 2, "variables": 5},
     {"context": [[0.0] * 2] * 5}),
    ("strict", {"policy": "c2_up_ucb(delta=0.1)", "treatments": 1, "budget": 1, "features": 20}, {"pool": [[0.0] * 20]}),
]


@pytest.mark.parametrize(("name", "definition", "decision"), STEPS, ids=[step[0] for step in STEPS])
def test_the_first_steps_of_a_campaign(dashboard, service, name, definition, decision):
    def complete():
        dashboard.wait(lambda: figures(dashboard).get("with complete payoffs") == "1", "a complete decision", dashboard.text)
        assert not dashboard.all("pre")

    service.create(name, **definition)
    dashboard.open(service.campaign_page(name))
    dashboard.section("No decisions yet")
    assert ("Nothing is known about any action yet." in dashboard.text()) == (name == "actions")
    assert send_shown(dashboard, service) == 1
    dashboard.section("No payoffs yet")
    assert send_shown(dashboard, service) == 2
    complete()
    service.create("other", **definition)
    service.decide("other", decision="not-the-first", **decision)
    dashboard.open(service.campaign_page("other"))
    dashboard.section("No payoffs yet")
    assert send_shown(dashboard, service) == 2
    complete()


def test_a_first_step_that_is_too_long_is_said_in_words(dashboard, service):
    service.create("wide", policy="eps_greedy_bl(eps=0.1)", treatments=1, budget=30, features=21)
    dashboard.open(service.campaign_page("wide"))
    section = dashboard.section("No decisions yet")
    text = dashboard.text(section)
    assert f"{service.address}/v1/campaigns/wide/decisions" in text
    assert "at least 30 rows of 21 numbers each" in text and '"baseline", a list of one number per row' in text
    assert not dashboard.all("pre")
    service.decide("wide", decision="first", pool=[[0.1] * 21] * 30, baseline=[0.5] * 30)
    dashboard.section("No payoffs yet")
    assert send_shown(dashboard, service) == 1
    dashboard.wait(lambda: figures(dashboard).get("with complete payoffs") == "1", "a complete decision", dashboard.text)


def test_a_stopped_campaign_takes_payoffs(dashboard, service):
    service.create("spring", **SHOP)
    service.decide("spring", decision="monday")
    service.request("POST", "/v1/campaigns/spring/stop", {})
    dashboard.open(service.campaign_page("spring"))
    dashboard.section("No payoffs yet")
    command = shlex.split(dashboard.one("pre").text)
    assert "/decisions/ID/payoffs" in command[3]
    service.request("PUT", command[3].removeprefix(service.address).replace("/ID/", "/monday/"), json.loads(command[-1]))
    dashboard.wait(lambda: figures(dashboard).get("with complete payoffs") == "1", "a complete decision", dashboard.text)
