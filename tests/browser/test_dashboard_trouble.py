"""The dashboard where something goes wrong: with the service, on the way, or in the page itself."""

import re

from proxy import Proxy
from selenium.webdriver.common.keys import Keys
from service import Service
from shop import BEST, ESTIMATES, SHARES, SHOP, VARIABLES, figures, shop_payoffs


def test_there_is_no_such_campaign(dashboard, service):
    dashboard.expected.append("404")
    dashboard.open(service.campaign_page("winter"))
    dashboard.see("There is no campaign “winter”")
    service.create("winter", **SHOP)
    dashboard.section(BEST)  # as soon as there is one
    dashboard.named("a", "← All campaigns").click()
    dashboard.named("a", "winter")


def test_the_token_is_asked_for_and_forgotten(browser, updraft, tmp_path, screenshot):
    token = "correct-horse-battery"
    (tmp_path / "tokens").write_text(token + "\n")
    service = Service(updraft, tmp_path, "--token-file", tmp_path / "tokens")
    service.token = token
    try:
        browser.expected.append("401")
        service.create("spring", **SHOP)
        browser.open(service.campaign_page("spring"))
        browser.see("This service requires a token")
        field = browser.one("input[type=password]")
        assert browser.focused() == field
        field.send_keys("wrong-wrong-wrong-wrong", Keys.ENTER)
        browser.see("The service does not accept this token.")
        screenshot("token")
        assert browser.run("return sessionStorage.length;") == 0
        field.send_keys(token, Keys.ENTER)
        browser.section(BEST)
        assert browser.run("return localStorage.length;") == 0  # for this tab alone
        assert "token" in browser.one("pre").text.lower() and token not in browser.text()
        browser.driver.refresh()
        browser.section(BEST)  # kept for this tab
        browser.named("button", "Forget the token").click()
        browser.see("This service requires a token")
        assert BEST not in browser.text()
        assert browser.run("return sessionStorage.length + localStorage.length;") == 0
        browser.driver.refresh()
        browser.see("This service requires a token")
        assert not browser.all("button.quiet")
        browser.check(service.address)
        assert not any(token in url for url in browser.requests)
    finally:
        service.close()


def test_a_download_that_fails_says_so(browser, updraft, tmp_path):
    (tmp_path / "tokens").write_text("correct-horse-battery\n")
    service = Service(updraft, tmp_path, "--token-file", tmp_path / "tokens")
    service.token = "correct-horse-battery"
    proxy = Proxy(service)
    try:
        browser.expected += ["401", "500"]
        browser.save_to(tmp_path)
        service.create("spring", **SHOP)
        browser.open(proxy.campaign_page("spring"))
        browser.one("input[type=password]").send_keys(service.token, Keys.ENTER)
        browser.section(BEST)
        proxy.refuse("/v1/openapi.json", 500, "internal error")
        link = browser.named("a", "API (OpenAPI)")
        link.click()
        problem = "Not saved: The service refused the request (internal error)."
        browser.wait(lambda: problem in browser.text(browser.one("nav")), "what went wrong", browser.text)
        proxy.let_through()
        link.click()
        browser.wait((tmp_path / "openapi.json").exists, "the file")
        assert "Not saved" not in browser.text()
        browser.check(proxy.address)
    finally:
        proxy.close()
        service.close()


def test_a_service_that_is_gone_and_comes_back(dashboard, service, screenshot):
    dashboard.expected.append("ERR_CONNECTION")
    service.create("spring", **SHOP)
    service.play("spring", 4, shop_payoffs())
    dashboard.open(service.campaign_page("spring"))
    dashboard.wait(lambda: figures(dashboard).get("decisions") == "4", "4 decisions")
    service.kill()
    banner = dashboard.one(".banner")
    dashboard.wait(lambda: re.search(r"The service does not answer\. First failure at \d\d:\d\d:\d\d; trying again in \d+ s\.", dashboard.text(banner)),
                   "what is tried", lambda: dashboard.text(banner))
    assert figures(dashboard)["decisions"] == "4"  # stay on the page
    assert "stale" in dashboard.one("main").get_attribute("class")
    screenshot("gone")
    button = dashboard.named("button", "Try now")
    service.start()
    service.play("spring", 1, shop_payoffs())
    dashboard.run("arguments[0].click();", button)  # it may have come back by itself by now
    dashboard.wait(lambda: figures(dashboard)["decisions"] == "5", "5 decisions")
    dashboard.wait(lambda: not dashboard.all(".banner"), "no banner")
    assert "stale" not in (dashboard.one("main").get_attribute("class") or "")


def test_another_campaign_takes_the_name(dashboard, service, updraft, tmp_path):
    """The service starts again with another store: the page shows what is there, without a reload."""
    def store(folder, play, **definition):
        (tmp_path / folder).mkdir()
        other = Service(updraft, tmp_path / folder)
        other.create("spring", **definition)
        play(other)
        other.close()

    def play_pools(other):
        for _ in range(30):
            decision = other.decide("spring", pool=[[0.1, 0.2], [0.2, 0.1]])
            other.pay("spring", decision["decision"], payoffs=[1.0, 2.0])

    def move_to(folder):
        service.kill()
        service.move(tmp_path / folder)
        service.start()
        for button in dashboard.all(".banner button"):
            dashboard.run("arguments[0].click();", button)

    three = {"policy": "up_ts", "actions": ["mail", "poster", "radio"], "variables": 3, "knowledge": {"affected": [[0], [1], [2]]}}
    store("three", lambda other: other.play("spring", 20, lambda action: {"payoffs": [1.0 + action, 2.0, 0.5]}), **three)
    store("targeted", play_pools, policy="greedy", treatments=1, budget=1, features=2)
    store("shorter", lambda other: other.play("spring", 5, shop_payoffs()), **SHOP)
    store("shortest", lambda other: other.play("spring", 3, shop_payoffs(2)), **SHOP)
    dashboard.expected += ["ERR_CONNECTION", "ERR_EMPTY_RESPONSE"]
    service.create("spring", **SHOP)
    service.play("spring", 10, shop_payoffs())
    dashboard.open(service.campaign_page("spring"))
    dashboard.wait(lambda: figures(dashboard).get("decisions") == "10", "10 decisions")
    assert dashboard.chart_table(ESTIMATES)[0] == ["decisions", "news", "discount"]
    origin = dashboard.run("return performance.timeOrigin;")

    move_to("three")
    dashboard.wait(lambda: figures(dashboard).get("decisions") == "20", "the second campaign", dashboard.text)
    assert sorted(row[0].split("\n")[0] for row in dashboard.rows(dashboard.section(BEST))) == ["mail", "poster", "radio"]
    header, rows = dashboard.chart_table(ESTIMATES)
    assert header == ["decisions", "mail", "poster", "radio"]
    assert rows[0][0] == "20"
    assert [option.text for option in dashboard.all("select option")] == ["mail", "poster", "radio"]

    move_to("targeted")
    dashboard.wait(lambda: figures(dashboard).get("decisions (pools)") == "30", "the third campaign", dashboard.text)
    assert len(dashboard.rows(dashboard.section("Who is treated, and what do they pay?"))) == 2
    assert BEST not in dashboard.text() and VARIABLES not in dashboard.text()
    dashboard.wait(lambda: dashboard.chart_table("Mean payoff over time")[1][0][0] == "30", "its history")

    for folder, decided in (("shorter", 5), ("shortest", 3)):
        move_to(folder)
        dashboard.wait(lambda: figures(dashboard).get("decisions") == str(decided), folder, dashboard.text)
        dashboard.wait(lambda: [int(row[0]) for row in dashboard.chart_table(SHARES)[1]] == list(range(decided, 0, -1)), "its history")
    assert len(dashboard.all("h1")) == 1
    dashboard.wait(lambda: not dashboard.all(".banner"), "no banner")
    assert dashboard.run("return performance.timeOrigin;") == origin


def test_behind_a_prefix_and_while_the_service_starts(browser, service, proxy):
    browser.expected.append("503")
    service.create("spring", **SHOP)
    service.play("spring", 3, shop_payoffs())
    proxy.refuse("/v1/", 503, "starting: campaigns are being rebuilt; try again")
    browser.open(proxy.page)
    browser.wait(lambda: re.search(r"The service is starting\. First failure at \d\d:\d\d:\d\d", browser.text()), "that it starts", browser.text)
    proxy.refuse("/v1/", 503, "the store cannot be written now: nothing was changed")
    browser.see("The service cannot answer now (the store cannot be written now: nothing was changed). First failure at ")
    proxy.let_through()
    browser.named("a", "spring").click()
    browser.wait(lambda: figures(browser).get("decisions") == "3", "3 decisions")
    browser.wait(lambda: not browser.all(".banner"), "no banner")
    links = {one.text: one.get_attribute("href") for one in browser.all("a")}
    assert links["This report as JSON"] == proxy.address + "/v1/campaigns/spring/report"
    assert links["API (OpenAPI)"] == proxy.address + "/v1/openapi.json"
    browser.check(proxy.address)


def test_a_fault_of_the_page_is_said(browser, service, proxy):
    browser.expected.append("TypeError")
    service.create("spring", **SHOP)
    service.play("spring", 4, shop_payoffs())
    browser.open(proxy.campaign_page("spring"))
    browser.wait(lambda: figures(browser).get("decisions") == "4", "4 decisions")
    proxy.change("/report", lambda report: {key: value for key, value in report.items() if key != "warnings"})
    service.play("spring", 1, shop_payoffs())

    def said():
        text = r"This page has a fault and may show old numbers\. Reload it\. First failure at (\d\d:\d\d:\d\d); trying again in \d+ s\."
        return re.search(text, browser.text())
    since = browser.wait(said, "that it is at fault", browser.text).group(1)
    assert "stale" in browser.one("main").get_attribute("class")
    asked = len(browser.statuses("/report"))
    browser.wait(lambda: len(browser.statuses("/report")) > asked, "that it goes on trying")
    assert browser.wait(said, "the same again", browser.text).group(1) == since
    origin = browser.run("return performance.timeOrigin;")
    browser.named("button", "Reload the page").click()
    browser.wait(lambda: browser.run("return performance.timeOrigin;") != origin, "a reload")
    browser.wait(said, "the same after it", browser.text)
    proxy.let_through()
    browser.wait(lambda: figures(browser).get("decisions") == "5" and not browser.all(".banner"), "5 decisions", browser.text)
    assert "stale" not in (browser.one("main").get_attribute("class") or "")
    browser.check(proxy.address)


def test_variables_that_the_service_does_not_bring(browser, service, proxy):
    browser.expected.append("500")
    service.create("spring", **SHOP)
    service.play("spring", 10, shop_payoffs())
    service.request("POST", "/v1/campaigns/spring/stop", {})  # nothing will ever change
    proxy.refuse("/variables", 500, "internal error")
    browser.open(proxy.campaign_page("spring"))
    section = browser.section(VARIABLES)
    browser.run("arguments[0].scrollIntoView();", section)
    problem = "The service refused the request (internal error); trying again."

    def said():
        return browser.run("return arguments[0].querySelector('[role=alert]').innerText;", section)
    browser.wait(lambda: said() == problem, "what is wrong", lambda: browser.text(section))
    proxy.let_through()
    browser.wait(lambda: [row[0] for row in browser.rows(section)] == ["bread", "cake"], "variables", lambda: browser.text(section))
    assert said() == ""
    proxy.refuse("/variables", 500, "internal error")
    browser.named("select option", "news").click()
    browser.wait(lambda: said() == problem, "what is wrong now", lambda: browser.text(section))
    assert not browser.rows(section)  # not those of the other action
    proxy.let_through()
    browser.wait(lambda: [row[0] for row in browser.rows(section)] == ["coffee", "tea"], "variables", lambda: browser.text(section))
    assert said() == ""
    browser.check(proxy.address)
