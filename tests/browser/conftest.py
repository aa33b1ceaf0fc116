"""What the tests in a browser share. They need the program (UPDRAFT_PROGRAM); with UPDRAFT_SCREENSHOTS they
leave pictures in that folder."""

import os
import pathlib

import pytest
from browser import Browser, start_chromium
from proxy import Proxy
from service import Service


@pytest.fixture(scope="session")
def updraft():
    """The path of the program."""
    return os.environ["UPDRAFT_PROGRAM"]


@pytest.fixture
def service(updraft, tmp_path):
    one = Service(updraft, tmp_path)
    yield one
    one.close()


@pytest.fixture
def proxy(service):
    """In front of `service`."""
    one = Proxy(service)
    yield one
    one.close()


@pytest.fixture(scope="session")
def chromium():
    """One for all tests: starting it takes longer than most of them."""
    driver = start_chromium()
    yield driver
    driver.quit()


@pytest.fixture
def browser(chromium):
    """At 1280 x 900 in the light theme. A test that has none of its own checks calls `browser.check`."""
    one = Browser(chromium)
    yield one
    chromium.get("about:blank")


@pytest.fixture
def screenshot(browser):
    """Call it with a name: the whole page goes to that file."""
    folder = os.environ.get("UPDRAFT_SCREENSHOTS")

    def take(name):
        if not folder:
            return
        pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
        height = browser.run("return document.documentElement.scrollHeight;")
        width = browser.run("return window.innerWidth;")
        before = browser.run("return window.innerHeight;")
        browser.size(width, max(before, height))
        browser.driver.save_screenshot(str(pathlib.Path(folder) / f"{name}.png"))
        browser.size(width, before)

    return take


@pytest.fixture
def dashboard(browser, service):
    """The browser, for the pages of `service`; checks console and requests at the end."""
    yield browser
    browser.check(service.address)
