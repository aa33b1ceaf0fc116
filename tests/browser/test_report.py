"""report.html, as people use it: opened from a disk in a real browser, with the keyboard."""

import csv
import json
import re
import statistics
import subprocess

import pytest
from browser import NARROW, WIDE
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

POLICIES = ["UCB", "TS", "UpUCB(bl)", "UpUCB"]
NUMBER = re.compile(r"−?[\d,]+(?:\.\d+)?(?:e−?\d+)?")


def make_report(updraft, folder, *arguments):
    subprocess.run([updraft, "run", *arguments, "--out", folder, "--html", "--quiet"], check=True, stdout=subprocess.DEVNULL)
    return folder


@pytest.fixture(scope="module")
def tuned(updraft, tmp_path_factory):
    """A small run over all values of the parameters."""
    folder = tmp_path_factory.mktemp("report") / "tuned"
    return make_report(updraft, folder, "gaussian", "--runs", "3", "--rounds", "200", "--policies", *POLICIES)


def open_page(browser, folder):
    browser.open((folder / "report.html").as_uri())
    return Page(browser.driver)


class Page:
    def __init__(self, driver):
        self.driver = driver

    def section(self, title):
        for section in self.driver.find_elements(By.CSS_SELECTOR, ".card"):
            if section.find_element(By.CSS_SELECTOR, "h2, h3").text == title:
                return section
        raise AssertionError(f"no section {title}")

    def chart(self, title):
        for chart in self.driver.find_elements(By.CSS_SELECTOR, ".chart"):
            if chart.is_displayed() and chart.find_element(By.TAG_NAME, "h3").text == title:
                return Chart(self.driver, chart)
        raise AssertionError(f"no chart {title}")

    def choose(self, group, option):
        """With the arrow keys, as radio buttons are."""
        for fieldset in self.driver.find_elements(By.CSS_SELECTOR, "fieldset"):
            if fieldset.find_element(By.TAG_NAME, "legend").text != group:
                continue
            for _ in fieldset.find_elements(By.TAG_NAME, "label"):
                chosen = fieldset.find_element(By.CSS_SELECTOR, "input:checked")
                if chosen.find_element(By.XPATH, "..").text == option:
                    return
                chosen.send_keys(Keys.ARROW_RIGHT)
        raise AssertionError(f"no {option} in {group}")


class Chart:
    def __init__(self, driver, root):
        self.driver = driver
        self.root = root

    def switch(self, text):
        """None where it is not there, or not shown."""
        return next((one for one in self.root.find_elements(By.CSS_SELECTOR, ".switch") if one.is_displayed() and text in one.text), None)

    def policy(self, label):
        """Its button in the legend."""
        return next(one for one in self.root.find_elements(By.CSS_SELECTOR, ".legend-entry")
                    if one.find_element(By.CSS_SELECTOR, ".legend-label").text == label)

    def table(self):
        """Column by header: {x: text}."""
        details = self.root.find_element(By.TAG_NAME, "details")
        if not details.get_property("open"):
            details.find_element(By.TAG_NAME, "summary").send_keys(Keys.ENTER)
            WebDriverWait(self.driver, 10).until(lambda _: details.find_elements(By.CSS_SELECTOR, "tbody tr"))
        rows = self.driver.execute_script(
            "return [...arguments[0].querySelectorAll('tr')].map((row) => [...row.cells].map((cell) => cell.textContent))", details)
        header, body = rows[0], rows[1:]
        return {name: {number(row[0]): row[place] for row in body if row[place]} for place, name in enumerate(header) if place > 0}


def press(button, key=Keys.SPACE):
    """By keyboard; the answer is whether it is pressed then."""
    button.send_keys(key)
    return button.get_attribute("aria-pressed") == "true"


def number(text):
    return float(text.replace(",", "").replace("−", "-"))


def assert_shows(text, *values):
    """The text has these numbers, each as exactly as its decimals can say."""
    shown = NUMBER.findall(text)
    assert len(shown) == len(values), (text, values)
    for one, value in zip(shown, values):
        digits = one.split("e")[0]
        decimals = len(digits.split(".")[1]) if "." in digits else 0
        unit = 10.0 ** -decimals * (10.0 ** number(one.split("e")[1]) if "e" in one else 1.0)
        assert abs(number(one) - value) <= 0.5001 * unit, (text, values)


def chosen_of(folder):
    """Label -> chosen value, as the summary in JSON says."""
    results = json.loads(results_text(folder))["experiments"][0]
    return {policy["label"]: policy["chosen"] for policy in results["policies"]}


def results_text(folder):
    page = (folder / "report.html").read_text(encoding="utf-8")
    return re.search(r'<script type="application/json" id="results">(.*?)</script>', page, re.S).group(1)


def curves_of(folder):
    """(label, round) -> row of curves.csv, of the chosen values."""
    chosen = chosen_of(folder)
    with open(folder / "curves.csv", newline="", encoding="utf-8") as file:
        return {(row["label"], int(row["round"])): row for row in csv.DictReader(file)
                if row["value"] == "" or float(row["value"]) == chosen[row["label"]]}


def test_asks_for_nothing_and_has_no_errors(browser, tuned):
    page = open_page(browser, tuned)
    assert browser.driver.title == "Gaussian uplifting bandit"
    assert browser.one("h1").text == "Gaussian uplifting bandit"
    assert "3 runs of 200 rounds each, seed 1" in browser.one(".setting").text
    page.chart("Regret over the rounds").table()
    assert browser.run("return performance.getEntriesByType('resource').length;") == 0
    browser.check(tuned.as_uri())


def test_curves_are_those_of_the_results(browser, tuned):
    page = open_page(browser, tuned)
    table = page.chart("Regret over the rounds").table()
    curves = curves_of(tuned)
    assert sorted(table) == sorted(POLICIES)
    assert len(curves) == 100 * len(POLICIES)
    for (label, at), row in curves.items():
        mean, error = float(row["mean"]), float(row["stderr"])
        assert_shows(table[label][at], mean, mean - error, mean + error)


def test_percentiles_take_the_place_of_means(browser, tuned):
    page = open_page(browser, tuned)
    page.choose("Over the runs", "95th percentile")
    chart = page.chart("Regret over the rounds")
    assert "95th percentile over 3 runs" in chart.root.text
    assert chart.switch("standard error") is None
    table = chart.table()
    for (label, at), row in curves_of(tuned).items():
        assert_shows(table[label][at], float(row["p95"]))
    page.choose("Over the runs", "mean")
    assert chart.switch("standard error") is not None


def test_bands_axes_and_policies_are_switched_by_keyboard(browser, tuned):
    chart = open_page(browser, tuned).chart("Regret over the rounds")
    assert "(" in chart.table()["UCB"][200]
    assert not press(chart.switch("standard error"))
    assert "(" not in chart.table()["UCB"][200]
    assert press(chart.switch("standard error"), Keys.ENTER)

    assert 0 in chart.table()["UCB"]
    assert press(chart.switch("Logarithmic x"))
    assert 0 not in chart.table()["UCB"]
    assert press(chart.switch("Logarithmic y"))
    assert not press(chart.switch("Logarithmic x"))

    assert not press(chart.policy("TS"))
    assert "TS" not in chart.table()
    for label in POLICIES:
        if chart.policy(label).get_attribute("aria-pressed") == "true":
            assert not press(chart.policy(label), Keys.ENTER)
    assert "All lines are switched off" in chart.root.text


def test_the_chart_is_read_by_arrow_keys(browser, tuned):
    chart = open_page(browser, tuned).chart("Regret over the rounds")
    plot = chart.root.find_element(By.CSS_SELECTOR, ".plot")
    plot.send_keys(Keys.END)
    hover = chart.root.find_element(By.CSS_SELECTOR, ".hover")
    assert hover.is_displayed() and "round: 200" in hover.text
    for label in POLICIES:
        assert label in hover.text
    spoken = chart.root.find_element(By.CSS_SELECTOR, "[role=status]")
    assert "round 200" in spoken.get_property("textContent")
    plot.send_keys(Keys.ARROW_LEFT)
    assert "round: 198" in hover.text
    plot.send_keys(Keys.ESCAPE)
    assert not hover.is_displayed()


def test_grid_has_all_values_and_the_chosen_one(browser, tuned):
    chart = open_page(browser, tuned).chart("Regret against the tuned parameter")
    table = chart.table()
    regrets = {}
    with open(tuned / "final.csv", newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            regrets.setdefault((row["label"], float(row["value"])), []).append(float(row["regret"]))
    assert sum(len(column) for column in table.values()) == len(regrets)
    for (label, value), runs in regrets.items():
        mean, error = statistics.fmean(runs), statistics.stdev(runs) / len(runs) ** 0.5
        assert_shows(table[label][value], mean, mean - error, mean + error)
    for label, value in chosen_of(tuned).items():
        assert f"= {value:g}" in chart.policy(label).text
    assert not press(chart.switch("Logarithmic y"))
    assert not press(chart.switch("Logarithmic x"))


def test_quick_runs_say_that_nothing_is_tuned(browser, updraft, tmp_path):
    folder = make_report(updraft, tmp_path / "quick", "gaussian", "--quick", "--runs", "3", "--rounds", "200", "--policies", "UpUCB", "UCB")
    page = open_page(browser, folder)
    chart = page.chart("Regret against the tuned parameter")
    assert "nothing to tune" in chart.root.text
    assert not chart.root.find_element(By.CSS_SELECTOR, ".plot").is_displayed()
    assert "not tuned: one value" in page.section("Chosen parameters and regret").text


def test_table_of_regrets_sorts(browser, tuned):
    section = open_page(browser, tuned).section("Chosen parameters and regret")

    def labels():
        return [cell.text for cell in section.find_elements(By.CSS_SELECTOR, "tbody th")]

    assert labels() == POLICIES
    results = json.loads(results_text(tuned))["experiments"][0]["policies"]
    by_regret = [policy["label"] for policy in sorted(results, key=lambda policy: policy["regret"]["mean"])]
    header = next(button for button in section.find_elements(By.CSS_SELECTOR, "thead button") if "mean regret" in button.text)
    header.send_keys(Keys.ENTER)
    assert labels() == by_regret[::-1]
    header.send_keys(Keys.SPACE)
    assert labels() == by_regret
    assert header.find_element(By.XPATH, "..").get_attribute("aria-sort") == "ascending"


def test_verdicts_have_word_and_sign(browser, tuned):
    section = open_page(browser, tuned).section("Verdicts on the paper’s claims")
    verdicts = json.loads(results_text(tuned))["experiments"][0]["verdicts"]
    assert len(verdicts) == 3
    items = section.find_elements(By.CSS_SELECTOR, ".verdicts li")
    signs = {"supported": "✓", "not supported": "✗", "inconclusive": "?", "not tested": "–"}
    for item, verdict in zip(items, verdicts):
        assert item.find_element(By.CSS_SELECTOR, ".outcome").text == f"{signs[verdict['outcome']]} {verdict['outcome']}"
        assert verdict["statement"] in item.text and verdict["evidence"] in item.text
    assert [verdict["outcome"] for verdict in verdicts][2] == "not tested"


def test_how_to_repeat_it_and_the_manifest(browser, tuned):
    page = open_page(browser, tuned)
    command = page.section("Repeat it").find_element(By.TAG_NAME, "code").text
    assert command == "updraft run gaussian --policies 'UCB' 'TS' 'UpUCB(bl)' 'UpUCB' --rounds 200 --runs 3 --seed 1"
    section = page.section("Manifest")
    rows = {row.find_element(By.TAG_NAME, "th").text: row.find_element(By.TAG_NAME, "td").text
            for row in section.find_elements(By.CSS_SELECTOR, "tbody tr")}
    assert rows["rounds"] == "200" and rows["seed"] == "1" and rows["instance"] == "gaussian"
    assert "UCB: ucb, alpha = " in rows["policies"]
    section.find_element(By.TAG_NAME, "summary").send_keys(Keys.ENTER)
    shown = json.loads(section.find_element(By.TAG_NAME, "pre").text)
    assert shown == json.loads((tuned / "manifest.json").read_text(encoding="utf-8"))


HOSTILE = "</script><img src=x onerror=alert(1)>"


def test_text_from_outside_stays_text(browser, updraft, tmp_path):
    experiment = tmp_path / "hostile.toml"
    experiment.write_text(f'''name = "hostile"
title = "{HOSTILE}"
instance = "gaussian"
rounds = 50
runs = 2
[[policy]]
spec = "up_ucb"
label = "{HOSTILE}"
alpha = [1, 2]
''')
    folder = make_report(updraft, tmp_path / "hostile", str(experiment))
    page = open_page(browser, folder)
    assert browser.driver.title == HOSTILE
    assert browser.one("h1").text == HOSTILE
    assert HOSTILE in page.chart("Regret over the rounds").table()
    assert browser.run("return document.images.length;") == 0
    browser.check(folder.as_uri())


def test_policy_of_the_page_refuses_other_scripts(browser, tuned):
    open_page(browser, tuned)
    ran = browser.run("""
        const script = document.createElement('script');
        script.textContent = 'window.intruder = true';
        document.body.append(script);
        return window.intruder === true;""")
    assert not ran
    assert any("Content Security Policy" in entry["message"] for entry in browser.driver.get_log("browser"))


def test_suite_has_contents_and_a_part_for_each(browser, updraft, tmp_path):
    folder = make_report(updraft, tmp_path / "suite", "tuning-free", "--quick", "--rounds", "100", "--runs", "2", "--policies", "UpUCB", "UpTS")
    open_page(browser, folder)
    links = browser.all(".contents a")
    assert len(links) == 6
    links[2].send_keys(Keys.ENTER)
    part = browser.one(".part:target")
    assert part.find_element(By.TAG_NAME, "h2").text == links[2].text
    level = [chart for chart in part.find_elements(By.CSS_SELECTOR, ".chart") if "tuned parameter" in chart.text][0]
    table = Chart(browser.driver, level).table()
    assert len(set(table["UpTS"].values())) == 1  # a level line
    assert set(table["UpTS"]) == set(table["UpUCB"])
    assert "Hindsight" in part.text
    browser.check(folder.as_uri())


def test_campaigns_have_three_measures(browser, updraft, tmp_path, screenshot):
    folder = make_report(updraft, tmp_path / "targeting", "targeting-synthetic", "--quick", "--rounds", "40", "--runs", "2")
    page = open_page(browser, folder)
    assert "random" not in page.chart("Regret over the rounds").table()
    page.choose("Measure", "mean predicted uplift of those treated")
    table = page.chart("Uplift over the rounds").table()
    with open(folder / "curves.csv", newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["label"] != "random":
                continue
            mean, error = float(row["uplift_mean"]), float(row["uplift_stderr"])
            assert_shows(table["random"][int(row["round"])], mean, mean - error, mean + error)
    assert "Qini" in page.section("Treated individuals and ranking").text
    screenshot("report-campaign")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_fits_the_screen(browser, tuned, screenshot, size, theme):
    browser.size(*size)
    browser.theme(theme)
    page = open_page(browser, tuned)
    assert browser.overflow() <= 0
    ground = browser.run("return getComputedStyle(document.documentElement).backgroundColor;")
    brightness = sum(int(part) for part in re.findall(r"\d+", ground)[:3])
    assert (brightness > 384) == (theme == "light")
    page.chart("Regret over the rounds").root.find_element(By.CSS_SELECTOR, ".plot").send_keys(Keys.END)
    screenshot(f"report-{size[0]}-{theme}")
    browser.check(tuned.as_uri())
