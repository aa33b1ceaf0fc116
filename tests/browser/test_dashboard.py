"""The dashboard, in a browser and against the service itself."""

import json
import random
import re
import shlex
from decimal import ROUND_HALF_UP, Decimal

import pytest
from browser import NARROW, WIDE
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from shop import BEST, ESTIMATES, SHARES, SHOP, VARIABLES, figures, shop_payoffs

# No action is declared to move the water, but the news do: by 3.
SURPRISED = {**SHOP, "variables": [*SHOP["variables"], "water"]}


def surprising_payoffs(seed=1):
    draw = random.Random(seed)
    return lambda action: {"payoffs": [draw.gauss(1.0 + 3.0 * (action == 0 and i == 4), 0.3) for i in range(5)]}


def play_until_surprised(service, name):
    """Until the service is sure, of the news, and of the discount, whose rounds differ from those as much."""
    payoffs = surprising_payoffs()
    for _ in range(20):
        service.play(name, 20, payoffs)
        warnings = service.report(name)["warnings"]
        if len(warnings) == 2:
            return warnings
    raise AssertionError("the service does not warn")


def percent(share):
    digits = 0 if share == 0 or share >= 0.0995 else 1
    return f"{Decimal(100 * share).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)} %"


def row_of(browser, section, name):
    return next((row for row in browser.rows(section) if row[0].split("\n")[0] == name), None)


# The list


def test_an_empty_list_says_how_to_make_a_campaign(dashboard, service):
    dashboard.open(service.page)
    dashboard.see("There are no campaigns yet")
    command = shlex.split(dashboard.one("pre").text)
    assert command[0] == "curl"
    assert command[3] == service.address + "/v1/campaigns"
    service.request("POST", "/v1/campaigns", json.loads(command[-1]))
    dashboard.named("a", "spring")  # without a reload
    assert "There are no campaigns yet" not in dashboard.text()


def test_the_list_has_all_campaigns_with_their_numbers(dashboard, service):
    service.create("autumn", **SHOP)
    service.create("spring", **SHOP)
    service.play("spring", 3, shop_payoffs())
    service.decide("spring")
    service.request("POST", "/v1/campaigns/autumn/stop", {})
    dashboard.open(service.page)
    section = dashboard.one("section[aria-label='All campaigns']")
    dashboard.wait(lambda: len(dashboard.rows(section)) == 2, "two campaigns")
    autumn, spring = dashboard.rows(section)
    assert autumn[:7] == ["autumn", "■ stopped", "up_ts", "0", "0", "0", "0"]
    assert spring[:7] == ["spring", "● running", "up_ts", "4", "3", "1", "0"]
    assert re.fullmatch(r"\d+ s ago", spring[7])
    dashboard.named("button", "Decisions").click()
    assert [row[0] for row in dashboard.rows(section)] == ["spring", "autumn"]
    dashboard.named("button", "Decisions").click()
    assert [row[0] for row in dashboard.rows(section)] == ["autumn", "spring"]


# One campaign


def test_the_last_point_of_a_chart_is_what_is_known_now(dashboard, service):
    service.create("spring", **SHOP)
    service.play("spring", 150, shop_payoffs())  # more events than a history has points
    for _ in range(10):
        service.decide("spring")
        decided = service.report("spring")["decisions"]["decided"]
        if service.request("GET", "/v1/campaigns/spring/history")["decided"][-1] < decided:
            break
    dashboard.open(service.campaign_page("spring"))
    _, rows = dashboard.chart_table(SHARES)
    assert rows[0] == [str(decided), *[percent(action["share"]) for action in service.report("spring")["actions"]]]
    xs = [int(row[0]) for row in rows]
    assert xs == sorted(set(xs), reverse=True) and xs[-1] == 1


def test_what_is_known_changes_in_place(dashboard, service):
    service.create("spring", **SHOP)
    service.play("spring", 20, shop_payoffs(1))
    dashboard.open(service.campaign_page("spring"))
    dashboard.wait(lambda: figures(dashboard).get("decisions") == "20", "20 decisions")
    header, before = dashboard.chart_table(ESTIMATES)
    assert header == ["decisions", "news", "discount"]
    assert before[0][0] == "20"
    origin = dashboard.run("return performance.timeOrigin;")

    search = dashboard.one("input[type=search]")
    search.send_keys("a")
    place = dashboard.place(search)
    service.play("spring", 15, shop_payoffs(2))
    dashboard.wait(lambda: figures(dashboard).get("decisions") == "35", "35 decisions")

    assert dashboard.focused() == search
    assert search.get_attribute("value") == "a"
    assert dashboard.place(search) == pytest.approx(place, abs=2)  # it did not move in the window
    assert dashboard.run("return performance.timeOrigin;") == origin  # not loaded again
    report = service.report("spring")
    dashboard.wait(lambda: dashboard.chart_table(ESTIMATES)[1][0][0] == "35", "a point at 35 decisions")
    _, after = dashboard.chart_table(ESTIMATES)
    assert len(after) > len(before)
    for cell, action in zip(after[0][1:], report["actions"]):
        for text, key in zip(re.fullmatch(r"(\S+) \((\S+) to (\S+)\)", cell).groups(), ("estimate", "low", "high")):
            assert text == f"{action[key]:.{len(text.partition('.')[2])}f}".replace("-", "−")
    _, shares = dashboard.chart_table(SHARES)
    assert shares[0][1] == percent(report["actions"][0]["share"])


def test_the_best_action_comes_first_and_is_marked(dashboard, service):
    service.create("spring", **SHOP)
    service.play("spring", 40, shop_payoffs())
    dashboard.open(service.campaign_page("spring"))
    section = dashboard.section(BEST)
    dashboard.wait(lambda: len(dashboard.rows(section)) == 2, "two actions")
    best, other = dashboard.rows(section)
    assert best[0] == "discount\n★ highest estimate"
    assert other[0] == "news"
    action = service.report("spring")["actions"][1]
    assert best[3] == f"{percent(action['share'])} ({action['decided']})"
    assert best[4] == str(action["pulls"])
    assert f"So far discount has the highest uplift: {best[1]}." in dashboard.text(section)
    assert len(section.find_elements(By.CSS_SELECTOR, "tbody svg.forest")) == 2


def test_what_is_not_known_of_an_action_is_not_held_against_it(dashboard, service):
    service.create("spring", policy="up_ucb_l(alpha=2)", actions=["news", "discount", "mail"], variables=4,
                   knowledge={"max_affected": 1})
    draw = random.Random(6)

    def payoffs(action):
        return {"payoffs": [draw.gauss(1.0 + 4.0 * (action == 1 and i == 2), 0.1) for i in range(4)]}

    def lead():
        return section.find_element(By.TAG_NAME, "p").text

    service.play("spring", 1, payoffs)
    tried = [row["action"] for row in service.report("spring")["actions"] if row["estimate"] is not None]
    assert len(tried) == 1 and service.report("spring")["reference_action"] == tried[0]
    name = ["news", "discount", "mail"][tried[0]]
    dashboard.open(service.campaign_page("spring"))
    section = dashboard.section(BEST)
    dashboard.wait(lambda: lead() == f"So far no action is estimated to pay more than {name}, with which all are compared. "
                   "The intervals of 2 others are not known yet.", "two rivals", lead)
    service.play("spring", 1, payoffs)
    dashboard.wait(lambda: re.search(r"The interval of \S+ overlaps its own, and the interval of \S+ is not known yet\.", lead()),
                   "rivals of both kinds", lead)
    service.play("spring", 60, payoffs)
    assert service.report("spring")["reference_action"] == 1
    dashboard.wait(lambda: lead() == "So far no action is estimated to pay more than discount, with which all are compared. "
                   "No other action's interval reaches that high.", "that it is settled", lead)
    assert dashboard.rows(section)[0][0] == "discount\n★ highest estimate, the others are compared with it"
    assert "compared" not in "".join(row[0] for row in dashboard.rows(section)[1:])
    assert "Estimated difference from the action with most payoffs so far" in dashboard.text(section)


def test_a_payoff_is_not_called_an_uplift(dashboard, service):
    """Every action moves every variable: there is no uplift to show, and differences say what they are to."""
    service.create("spring", policy="up_ts", actions=["news", "discount"], variables=["tea", "coffee"],
                   knowledge={"affected": [[0, 1], [0, 1]]})
    draw = random.Random(3)
    service.play("spring", 40, lambda action: {"payoffs": [draw.gauss(300.0 + 5.0 * action, 1.0) for _ in range(2)]})
    dashboard.open(service.campaign_page("spring"))
    section = dashboard.section(BEST)
    dashboard.wait(lambda: len(dashboard.rows(section)) == 2, "two actions")
    report = service.report("spring")
    assert report["quantity"] == "difference"
    best, other = dashboard.rows(section)
    assert best[0] == "discount\n★ highest estimate" and other[0] == "news\nthe others are compared with it"
    assert 4 < float(best[1].split()[0]) < 16  # about 10, as news is hardly taken, and not 610
    text = dashboard.text(section)
    assert "Estimated difference from news" in text and "Estimated uplift" not in text
    assert f"So far discount is estimated to pay most: {best[1]} more than news." in text
    assert "Every action affects 2 variables, so no round shows what they pay when nothing is done" in text
    assert "uplift" not in dashboard.text(dashboard.section("Over time")).lower()
    header, rows = dashboard.chart_table("Estimated difference from news over time")
    assert header == ["decisions", "news", "discount"] and rows[0][1].startswith("0 ")

    section = dashboard.section(VARIABLES)
    dashboard.named("select option", "discount").click()
    dashboard.wait(lambda: len(dashboard.rows(section)) == 2, "two variables", lambda: dashboard.text(section))
    head = [cell.text.split("\n")[0] for cell in section.find_elements(By.CSS_SELECTOR, "thead th")]
    assert head == ["Variable", "In the set", "Difference from news", "Interval", "Mean payoff"]
    assert 0 < float(row_of(dashboard, section, "tea")[2].split()[0]) < 10  # about 5
    assert "uplift" not in dashboard.text(section).lower()


def test_a_targeted_campaign_shows_payoffs(dashboard, service):
    """Who is treated is chosen: means of those treated and of the others differ by more than an uplift."""
    service.create("mail", policy="c2_ucb(beta=1)", treatments=1, budget=1, features=1)
    for day in range(5):
        decision = service.decide("mail", pool=[[1.0], [0.5], [0.2]])
        service.pay("mail", decision["decision"], payoffs=[5.5, 5.0, 4.0 + day])
    assert service.report("mail")["quantity"] == "payoff"
    dashboard.open(service.campaign_page("mail"))
    section = dashboard.section("Who is treated, and what do they pay?")
    dashboard.wait(lambda: len(dashboard.rows(section)) == 2, "both treatments", lambda: dashboard.text(section))
    assert "Mean payoff" in dashboard.text(section)
    dashboard.chart_table("Mean payoff over time")
    assert not re.search(r"(estimated|mean) uplift", dashboard.text(), re.IGNORECASE)


def test_without_an_interval_nothing_is_settled(browser, service, proxy):
    def without(*actions):
        def change(report):
            for action in actions:
                report["actions"][action].update(low=None, high=None)
            return report
        proxy.change("/report", change)

    service.create("spring", **SHOP)
    service.play("spring", 40, shop_payoffs())
    without(1)  # the best
    browser.open(proxy.campaign_page("spring"))
    browser.see("Its interval is not known yet.")
    without(0)
    browser.open(proxy.campaign_page("spring"))
    browser.see("The interval of news is not known yet.")
    proxy.let_through()
    browser.open(proxy.campaign_page("spring"))
    browser.see("No other action's interval reaches that high.")
    browser.check(proxy.address)


def test_what_has_not_changed_is_not_sent_again(dashboard, service):
    service.create("spring", **SHOP)
    service.play("spring", 3, shop_payoffs())
    dashboard.open(service.campaign_page("spring"))
    dashboard.wait(lambda: len(dashboard.statuses("/report")) >= 3, "three answers")
    statuses = dashboard.statuses("/report")
    assert statuses[0] == 200 and set(statuses[1:]) == {304}
    assert dashboard.statuses("/history") == [200]


def test_a_stopped_campaign_says_so(dashboard, service):
    service.create("spring", **SHOP)
    dashboard.open(service.campaign_page("spring"))
    dashboard.see("● running")
    service.request("POST", "/v1/campaigns/spring/stop", {})
    dashboard.see("■ stopped")


def test_feedback_says_what_is_outstanding_and_lost(dashboard, service):
    def says(text):
        section = dashboard.section("Feedback")
        dashboard.wait(lambda: re.search(text, dashboard.text(section)), repr(text), lambda: dashboard.text(section))

    service.create("spring", **SHOP, wait=3600)
    service.decide("spring", decision="one")
    service.decide("spring", decision="two")
    service.pay("spring", "one", payoffs={"bread": 1})
    dashboard.open(service.campaign_page("spring"))
    for text in (r"Decided\n2\n", r"Complete\n1\n", r"Outstanding\n1\n.*oldest decision was \d+ s ago", r"Lost\n0\n", "1 h after the decision"):
        says(text)
    service.create("hasty", **SHOP, wait=0.5)
    service.decide("hasty", decision="one")
    dashboard.open(service.campaign_page("hasty"))
    for text in (r"Lost\n1\n", r"Decided\n1\n", r"Complete\n0\n", r"Outstanding\n0\nno payoffs are missing", r"Late\n0\n"):
        says(text)
    service.pay("hasty", "one", payoffs={"bread": 1})
    says(r"Late\n1\n")
    says(r"Complete\n1\n")
    service.create("patient", **SHOP)
    service.decide("patient")
    dashboard.open(service.campaign_page("patient"))
    says(r"Outstanding\n1\n.*oldest decision was \d+ s ago")
    says("without a time limit")
    assert "up_ts" in dashboard.text(dashboard.section("Knowledge summary"))


def test_markup_in_names_is_text(dashboard, service):
    action = "<img src=x onerror=\"document.title='broken'\">"
    variable = "<b>bold</b><script>document.title='broken'</script>"
    service.create("spring", policy="up_ts", actions=[action, "<i>slant"], variables=[variable, "tea"],
                   knowledge={"affected": [[variable], ["tea"]]})
    service.play("spring", 4, lambda chosen: {"payoffs": [1.0 + chosen, 2.0]})
    dashboard.open(service.campaign_page("spring"))
    section = dashboard.section(BEST)
    dashboard.wait(lambda: row_of(dashboard, section, action), "the action's name as text", lambda: dashboard.text(section))
    header, _ = dashboard.chart_table(ESTIMATES)
    assert action in header
    dashboard.named("select option", action).click()
    dashboard.wait(lambda: row_of(dashboard, dashboard.section(VARIABLES), variable), "the variable's name as text")
    assert dashboard.driver.title == "spring – Updraft"
    assert not dashboard.driver.find_elements(By.CSS_SELECTOR, "img, b, i, body script")


def test_a_warning_comes_first_with_what_to_do(dashboard, service):
    service.create("spring", **SURPRISED)
    service.play("spring", 2, surprising_payoffs())
    dashboard.open(service.campaign_page("spring"))
    dashboard.section(BEST)
    assert not dashboard.all("section.warning")
    expected = play_until_surprised(service, "spring")[0]
    assert expected["kind"] == "outside_declared"
    warning = dashboard.one("section.warning")
    dashboard.wait(lambda: expected["message"] in dashboard.text(warning), "the message", lambda: dashboard.text(warning))
    assert "What to do: " + expected["advice"] in dashboard.text(warning)
    assert warning.location["y"] < dashboard.section(BEST).location["y"]

    def announced():
        return warning.find_element(By.CSS_SELECTOR, "[role=alert]").get_attribute("textContent")
    first = announced()
    assert first.startswith("Warning: Action 'news' seems to move 1 variable")
    service.play("spring", 20, surprising_payoffs(2))
    message = service.report("spring")["warnings"][0]["message"]
    assert message != expected["message"]
    dashboard.wait(lambda: message in dashboard.text(warning), "the message with its new numbers")
    assert announced() == first  # not again at every answer

    dashboard.named("button", "Show these variables of news").click()
    assert dashboard.focused().text == VARIABLES
    row = dashboard.wait(lambda: row_of(dashboard, dashboard.section(VARIABLES), "water"), "the variable")
    assert row[1] == "no, ⚠ surprising"


def test_variables_are_searched_and_paged(dashboard, service):
    count = 100_000
    service.create("large", policy="up_ts", actions=2, variables=count,
                   knowledge={"affected": [list(range(120)), [7]]})
    service.play("large", 6, lambda action: {"indices": [7, 8], "values": [2.0 + action, 1.0]})
    dashboard.open(service.campaign_page("large"))
    section = dashboard.section(VARIABLES)
    dashboard.named("select option", "action 0").click()
    dashboard.wait(lambda: "1 to 50 of 120 variables" in dashboard.text(section), "the first page", lambda: dashboard.text(section))
    assert len(dashboard.rows(section)) == 50
    following = dashboard.named("button", "Next")
    following.click()
    dashboard.wait(lambda: dashboard.rows(section)[0][0] == "variable 50", "the second page")
    following.click()
    dashboard.wait(lambda: "101 to 120 of 120 variables" in dashboard.text(section), "the last page")
    assert following.get_attribute("aria-disabled") == "true"
    following.click()
    dashboard.named("button", "Previous").click()
    dashboard.wait(lambda: "51 to 100 of 120 variables" in dashboard.text(section), "the page before")
    section.find_element(By.CSS_SELECTOR, "input[value=all]").click()
    dashboard.wait(lambda: "1 to 50 of 100,000 variables" in dashboard.text(section), "all of them")
    section.find_element(By.CSS_SELECTOR, "input[type=search]").send_keys("9999")
    found = [f"variable {n}" for n in range(count) if "9999" in str(n)]
    dashboard.wait(lambda: [row[0] for row in dashboard.rows(section)] == found[:50], "what was searched for")
    section.find_element(By.CSS_SELECTOR, "input[type=search]").send_keys("x")
    dashboard.wait(lambda: "None of these variables contains “9999x”." in dashboard.text(section), "that there is none")


def test_sets_that_are_learnt_form_while_payoffs_come(dashboard, service, screenshot):
    # With two actions, nothing told, it could be either that moves a variable.
    service.create("shop", **{**SHOP, "policy": "auto", "actions": ["news", "discount", "letter"], "knowledge": {}})
    payoffs = shop_payoffs()
    service.play("shop", 4, payoffs)
    dashboard.open(service.campaign_page("shop"))
    section = dashboard.section(VARIABLES)
    dashboard.named("select option", "discount").click()
    section.find_element(By.CSS_SELECTOR, "input[value=all]").click()

    def said():
        return {row[0]: row[1] for row in dashboard.rows(section)}

    def known():
        rows = service.request("GET", "/v1/campaigns/shop/actions/1/variables?show=all")["variables"]
        return {row["name"]: f"{row['affected'] or 'no'} ({percent(row['inclusion'])} likely)" for row in rows}

    dashboard.wait(lambda: said() == known(), "what is known of few rounds", said)
    assert all(text.startswith("no (") for text in said().values())
    service.play("shop", 120, payoffs)
    dashboard.wait(lambda: said() == known(), "what is known of more", said)  # without a reload
    assert [name for name, text in said().items() if text.startswith("identified (")] == ["bread", "cake"]
    screenshot("learnt-sets")


def test_hundreds_of_actions_come_in_pages(dashboard, service):
    service.create("many", policy="up_ts", actions=130, variables=130, knowledge={"affected": [[a] for a in range(130)]})
    service.play("many", 130, lambda action: {"indices": [action], "values": [float(action)]})
    dashboard.open(service.campaign_page("many"))
    section = dashboard.section(BEST)
    dashboard.wait(lambda: "1 to 50 of 130 actions" in dashboard.text(section), "the first page")
    assert len(dashboard.rows(section)) == 50
    shown = dashboard.section(ESTIMATES)
    dashboard.wait(lambda: len(shown.find_elements(By.CSS_SELECTOR, ".legend button[aria-pressed=true]")) == 12, "twelve lines")
    header, _ = dashboard.chart_table(ESTIMATES)
    assert len(header) == 13
    dashboard.section(ESTIMATES).find_element(By.XPATH, ".//button[.='Hide all']").click()
    dashboard.see("All lines are switched off")


def test_a_campaign_with_contexts_shows_estimates_of_the_last_and_what_came_of_actions(dashboard, service, screenshot):
    service.create("week", policy="lin_up_ucb_bl(delta=0.1)", actions=["news", "discount"], features=["price", "age"])
    dashboard.open(service.campaign_page("week"))
    section = dashboard.section("Estimates for the last context")
    assert "Shown after the first decision." in section.text and dashboard.rows(section) == []
    draw = random.Random(1)
    for number in range(40):
        context = [[0.5 * draw.random(), 0.5 * draw.random()] for _ in range(6)]
        decision = service.decide("week", decision=f"w{number}", context=context, affected=[[0, 1, 2], [3, 4]],
                                  baseline=[0.2] * 6)
        service.pay("week", decision["decision"], payoffs=[draw.gauss(0.3, 9) for _ in range(6)])
    last = service.decide("week", decision="last", context=[[0.1, 0.2]] * 4, affected=[[0, 1], [2]], baseline=[0] * 4)
    dashboard.wait(lambda: "“last”" in dashboard.section("Estimates for the last context").text,
                   "the last decision", dashboard.text)
    section = dashboard.section("Estimates for the last context")
    report = service.report("week")
    assert f"was about 4 variables, and the policy took {last['action_name']}" in section.text
    rows = dashboard.rows(section)
    assert [row[0] for row in rows] == ["news", "discount"]
    assert [row[4] for row in rows] == ["2 declared", "1 declared"]
    assert [row[5] for row in rows] == [one["reason"] for one in report["last_context"]["actions"]]
    for row, one in zip(rows, report["last_context"]["actions"]):
        assert float(row[3].replace("\N{MINUS SIGN}", "-")) == pytest.approx(one["index"], rel=1e-3)
        assert " to " in row[1]
    taken = dashboard.section("Which actions are taken, and what do they pay?")
    assert [row[4] for row in dashboard.rows(taken)] == [str(one["pulls"]) for one in report["taken"]]
    assert [row[5] for row in dashboard.rows(taken)] == [str(one["paid"]) for one in report["taken"]]
    assert figures(dashboard)["decisions"] == "41"
    assert "standard deviation" in dashboard.text()  # the warning
    assert "2 features of each variable: price, age" in dashboard.text()
    assert "Share of decisions over time" in dashboard.text()
    screenshot("contexts")


def test_a_targeted_campaign_has_treatments(dashboard, service, screenshot):
    service.create("mail", policy="c2_up_ucb(beta=1)", treatments=2, budget=3, features=2)
    draw = random.Random(4)
    for _ in range(6):
        pool = [[draw.random(), draw.random()] for _ in range(10)]
        decision = service.decide("mail", pool=pool)
        service.pay("mail", decision["decision"], payoffs=[float(t) + draw.random() for t in decision["treatments"]])
    dashboard.open(service.campaign_page("mail"))
    section = dashboard.section("Who is treated, and what do they pay?")
    dashboard.wait(lambda: len(dashboard.rows(section)) == 3, "three rows")
    assert [row[0] for row in dashboard.rows(section)] == ["no treatment", "treatment 1", "treatment 2"]
    treated = service.report("mail")["treated"]
    assert [row[3] for row in dashboard.rows(section)] == [str(one["decided"]) for one in treated]
    assert figures(dashboard)["decisions (pools)"] == "6"
    assert VARIABLES not in dashboard.text()
    header, rows = dashboard.chart_table("Mean payoff over time")
    assert header[1:] == ["no treatment", "treatment 1", "treatment 2"]
    assert rows[0][0] == "6"
    screenshot("targeted")


# By keyboard


def test_everything_is_reached_by_keyboard(dashboard, service, screenshot):
    service.create("spring", **SHOP)
    service.play("spring", 10, shop_payoffs())
    dashboard.open(service.page)
    dashboard.named("a", "spring")
    dashboard.press(Keys.TAB)
    assert dashboard.focused().text == "Skip to the content"
    dashboard.press(Keys.ENTER)
    assert dashboard.focused().tag_name == "main"
    dashboard.tab_to(lambda one: one.text == "spring")
    dashboard.press(Keys.ENTER)
    dashboard.section(BEST)
    dashboard.wait(lambda: dashboard.focused().tag_name == "h1" and dashboard.focused().text == "spring", "the focus on the heading")

    decisions = dashboard.tab_to(lambda one: one.get_attribute("value") == "decisions")
    assert decisions.get_attribute("type") == "radio"
    dashboard.press(Keys.ARROW_RIGHT)
    dashboard.wait(lambda: dashboard.focused().get_attribute("value") == "time", "the other axis")
    news = dashboard.tab_to(lambda one: one.get_attribute("aria-pressed") is not None and one.text == "news")
    assert news.get_attribute("aria-pressed") == "true"
    dashboard.press(Keys.SPACE)
    assert news.get_attribute("aria-pressed") == "false"
    plot = dashboard.tab_to(lambda one: "plot" in (one.get_attribute("class") or ""))
    outline = dashboard.run("return getComputedStyle(arguments[0]).outlineStyle;", plot)
    assert outline == "solid"  # the focus is seen
    dashboard.press(Keys.ARROW_LEFT)
    reading = dashboard.one(".hover").text
    assert reading.startswith("time of day: ") and "discount" in reading and "news" not in reading
    screenshot("reading")
    dashboard.tab_to(lambda one: one.tag_name == "summary")
    dashboard.press(Keys.ENTER)
    header, rows = dashboard.chart_table(ESTIMATES)
    assert header == ["time of day", "discount"]
    assert re.fullmatch(r"\d\d:\d\d:\d\d", rows[0][0])
    dashboard.tab_to(lambda one: one.get_attribute("type") == "search")
    dashboard.press("cake")
    section = dashboard.section(VARIABLES)
    dashboard.wait(lambda: [row[0] for row in dashboard.rows(section)] == ["cake"], "what was searched for")


# How it looks


def look(dashboard, screenshot, name):
    """At both widths and in both themes: nothing is wider than the page."""
    for width, height in (WIDE, NARROW):
        dashboard.size(width, height)
        for theme, ground in (("light", "rgb(246, 247, 249)"), ("dark", "rgb(15, 19, 24)")):
            dashboard.theme(theme)
            assert dashboard.run("return getComputedStyle(document.documentElement).backgroundColor;") == ground
            assert dashboard.overflow() <= 0, (name, width, dashboard.beyond_the_edge())
            screenshot(f"{name}-{width}-{theme}")


def test_nothing_is_wider_than_the_page(dashboard, service, screenshot):
    dashboard.open(service.page)
    dashboard.see("There are no campaigns yet")
    look(dashboard, screenshot, "empty")
    long_campaign = "a-campaign-with-a-long-name." + "n" * 60
    long_action = "an action with a rather long name that somebody thought of " + "w" * 60
    service.create("spring", **SURPRISED)
    service.create(long_campaign, policy="up_ucb(alpha=3)", actions=["news", long_action, "mail", "poster"],
                   variables=6, knowledge={"affected": [[0, 1], [2, 3], [4], [5]]}, wait=3600)
    draw = random.Random(5)
    service.play(long_campaign, 40, lambda action: {"payoffs": [draw.gauss(1.0 + (action == i // 2), 0.4) for i in range(6)]})
    play_until_surprised(service, "spring")
    service.decide("spring")
    dashboard.named("a", "spring")
    look(dashboard, screenshot, "list")
    for campaign, name in ((long_campaign, "long"), ("spring", "campaign")):
        dashboard.size(*WIDE)
        dashboard.open(service.campaign_page(campaign))
        section = dashboard.section(VARIABLES)
        dashboard.run("arguments[0].scrollIntoView();", section)
        dashboard.wait(lambda: dashboard.rows(section), "variables")
        look(dashboard, screenshot, name)


def test_what_is_settled_gained_and_guarded_is_said_in_the_words_of_the_report(dashboard, service, screenshot):
    service.create("proof", policy="up_ts", actions=["none", "sale"], variables=["tea", "cake", "returns"],
                   knowledge={"affected": [[], ["cake", "returns"]]},
                   holdout={"control": "none", "share": 0.2},
                   guardrails=[{"name": "few returns", "variables": ["returns"], "tolerance": 0.5}])
    draw = random.Random(3)

    def pays(action):
        return {"payoffs": [draw.gauss(0, 1), draw.gauss(9 * action, 1), draw.gauss(-3 * action, 1)]}

    service.play("proof", 150, pays)
    report = service.request("GET", "/v1/campaigns/proof/report")
    assert report["settled"]["settled"] and report["settled"]["best"] == "sale"
    dashboard.open(service.campaign_page("proof"))
    for words in (report["settled"]["text"], report["gain"]["text"], report["guardrails"][0]["text"]):
        dashboard.wait(lambda: words in dashboard.text(), words)
    assert "Not settled" not in dashboard.text()
    best = next(row for row in report["actions"] if row["name"] == "sale")
    assert best["probability_best"] >= 0.95
    assert dashboard.overflow() <= 0
    screenshot("evidence")


def test_rounds_of_others_are_counted_apart(dashboard, service, screenshot):
    service.create("watch", policy="up_ts", actions=["news", "sale"], variables=["tea", "cake"],
                   knowledge={"affected": [["tea"], ["cake"]]}, mode="shadow")
    service.request("POST", "/v1/campaigns/watch/history",
                    {"batch": "2023", "rounds": [{"action": 0, "payoffs": [1, 2]}, {"action": 1, "payoffs": [2, 1]}]})
    service.request("POST", "/v1/campaigns/watch/decisions", {"decision": "a", "action": "sale"})
    dashboard.open(service.campaign_page("watch"))
    dashboard.wait(lambda: "learnt from 2 rounds of the time before the campaign" in dashboard.text(), "past rounds")
    dashboard.see("the caller decides; of 1 decisions of the caller the policy would have made")
    service.request("POST", "/v1/campaigns/watch/live")
    dashboard.see("is over: the policy decides")
    screenshot("shadow")
