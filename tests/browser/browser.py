"""A browser as a test sees it: what is on the page, what was typed, and that nothing went wrong unseen."""

import json
import time

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.chrome.service import Service as Driver

WIDE = (1280, 900)
NARROW = (390, 844)
PATIENCE = 15.0  # seconds until something that should appear counts as missing

# Options have no box of their own.
SEEN = """const seen = (selector) => Array.from(document.querySelectorAll(selector)).filter(
    (one) => (one.closest("select") ?? one).getClientRects().length > 0);"""


def start_chromium():
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu",
                     "--disable-background-networking", "--no-first-run", "--force-color-profile=srgb",
                     "--hide-scrollbars"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(service=Driver("/usr/bin/chromedriver"), options=options)


class Browser:
    def __init__(self, driver):
        self.driver = driver
        self.expected = []  # parts of console errors that this test provokes
        self.errors = []
        self.requests = []
        self.answers = []  # address and status
        self._read_logs()
        for log in (self.errors, self.requests, self.answers):
            log.clear()
        self.size(*WIDE)
        self.theme("light")

    # Where it is

    def open(self, address):
        """Anew, even where only the fragment differs."""
        self.driver.get("about:blank")
        self.driver.get(address)

    def address(self):
        return self.driver.current_url

    def size(self, width, height):
        self._command("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                      mobile=False)

    def theme(self, name):
        self._command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def save_to(self, folder):
        """Where downloads go."""
        self._command("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder))

    # What is on the page. By scripts of a line or two: asking the driver element by element takes far longer.

    def all(self, selector):
        """Those that are seen."""
        return self.run(SEEN + "return seen(arguments[0]);", selector)

    def one(self, selector):
        """The only one that is seen; waits for it."""
        return self.wait(lambda: self._only(self.all(selector)), f"one {selector}")

    def named(self, selector, text):
        """The only one with exactly this text or accessible name; waits for it."""
        return self.wait(lambda: self._only(self.run(SEEN + """return seen(arguments[0]).filter(
            one => [one.innerText.trim(), one.getAttribute("aria-label")].includes(arguments[1]));""", selector, text)),
                         f"{selector} that says {text!r}", self.text)

    def section(self, heading):
        """The section with this heading; waits for it."""
        return self.wait(lambda: self.run(SEEN + """return seen("section > h2, section > h3")
            .filter(one => one.innerText === arguments[0]).map(one => one.parentElement)[0];""", heading),
                         f"a section {heading!r}", self.text)

    def text(self, element=None):
        """Of the whole page, or of an element."""
        return self.run("return (arguments[0] || document.body).innerText;", element)

    def see(self, text):
        self.wait(lambda: text in self.text(), f"{text!r} on the page", self.text)

    def rows(self, section):
        """The texts of a section's table, a list per row, without the header."""
        return self.run("""return Array.from(arguments[0].querySelectorAll("tbody tr"),
            row => Array.from(row.cells, cell => cell.innerText.trim()));""", section)

    def chart_table(self, heading):
        """Header and rows of what a chart shows, newest first; opens `as a table`."""
        section = self.section(heading)
        details = section.find_element(By.TAG_NAME, "details")
        if details.get_attribute("open") is None:
            details.find_element(By.TAG_NAME, "summary").click()
        self.wait(lambda: details.find_elements(By.CSS_SELECTOR, "tbody tr"), f"numbers of {heading!r}")
        header = self.run("return Array.from(arguments[0].querySelectorAll('thead th'), one => one.innerText);", details)
        return header, self.rows(details)

    def focused(self):
        return self.driver.switch_to.active_element

    def place(self, element):
        """How far below the top of the window it is."""
        return self.run("return arguments[0].getBoundingClientRect().top;", element)

    def overflow(self):
        """By how many pixels the page is wider than its window."""
        return self.run("return document.documentElement.scrollWidth - window.innerWidth;")

    def beyond_the_edge(self):
        """The elements that reach beyond the right edge of the window."""
        return self.run("""return [...document.body.querySelectorAll("*")]
            .filter((element) => element.getBoundingClientRect().right > window.innerWidth)
            .map((element) => `${element.tagName} ${element.className}: ${element.textContent.slice(0, 60)}`);""")

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    # What is done

    def press(self, *keys):
        webdriver.ActionChains(self.driver).send_keys(*keys).perform()

    def tab_to(self, reached, most=80):
        """Presses Tab until `reached(element)`."""
        for _ in range(most):
            self.press(Keys.TAB)
            focused = self.focused()
            if reached(focused):
                return focused
        raise AssertionError("not reached by Tab; the focus is on: " + self.focused().get_attribute("outerHTML")[:200])

    def wait(self, condition, what, seen=lambda: ""):
        end = time.monotonic() + PATIENCE
        while True:
            value = condition()
            if value:
                return value
            if time.monotonic() > end:
                raise AssertionError(f"not there: {what}\n{seen()}")
            time.sleep(0.05)

    # What went wrong unseen

    def check(self, address):
        """No errors in the console but the expected ones; no request but to `address`."""
        self._read_logs()
        wrong = [text for text in self.errors if not any(part in text for part in self.expected)]
        assert not wrong, wrong
        foreign = [url for url in self.requests
                   if not url.startswith((address + "/", "about:", "data:", "blob:" + address))]
        assert not foreign, foreign

    def statuses(self, path):
        """Of all answers so far whose address has `path` in it."""
        self._read_logs()
        return [status for url, status in self.answers if path in url]

    def _read_logs(self):
        for entry in self.driver.get_log("browser"):
            if entry["level"] in ("SEVERE", "WARNING"):
                self.errors.append(entry["message"])
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                self.requests.append(message["params"]["request"]["url"])
            elif message["method"] == "Network.responseReceived":
                response = message["params"]["response"]
                self.answers.append((response["url"], response["status"]))

    def _command(self, command, **parameters):
        self.driver.execute_cdp_cmd(command, parameters)

    @staticmethod
    def _only(elements):
        return elements[0] if len(elements) == 1 else None
