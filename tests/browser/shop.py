"""The campaign that most tests of the dashboard play, and what they read of its page."""

import random

SHOP = {"policy": "up_ts", "actions": ["news", "discount"], "variables": ["coffee", "tea", "bread", "cake"],
        "knowledge": {"affected": [["coffee", "tea"], ["bread", "cake"]]}}
ESTIMATES = "Estimated uplift over time"
SHARES = "Share of decisions over time"
BEST = "Which action is best?"
VARIABLES = "Variables of an action"


def shop_payoffs(seed=1):
    """The discount moves bread and cake by 1 each."""
    draw = random.Random(seed)
    return lambda action: {"payoffs": [draw.gauss(1.0 + (action == 1 and i >= 2), 0.3) for i in range(4)]}


def figures(browser):
    """The large numbers at the top of a campaign, by what they are."""
    return browser.run("""return Object.fromEntries(Array.from(document.querySelectorAll(".figure"),
        one => [one.querySelector("dt").innerText, one.querySelector("dd").innerText]));""")
