"""The pictures of README and docs/service.md. After a change: cp build/screenshots/dashboard-*.png docs/images/"""

import os
import pathlib
import random

from browser import NARROW

OFFERS = ["newsletter", "free shipping", "10 % off", "bundle", "loyalty points"]
PRODUCTS = ["coffee", "tea", "cocoa", "bread", "cake", "jam", "honey", "cheese", "wine", "pasta",
            "rice", "beans", "soap", "candles", "flowers", "books", "toys", "paper", "pens", "bags"]
MOVED = {0: [15, 17, 18], 1: [12, 13, 19], 2: [0, 1, 2, 8], 3: [3, 4, 5, 6], 4: [0, 7, 8]}
UPLIFTS = [0.3, 0.6, 1.2, 0.8, 0.5]

HISTORY_IS_HERE = """return performance.getEntriesByType("resource")
    .some(one => one.name.endsWith("/history") && one.responseEnd > 0 && one.responseEnd < performance.now() - 200);"""


def sales(seed):
    draw = random.Random(seed)
    return lambda action: {"payoffs": [round(draw.gauss(5 + UPLIFTS[action] * (i in MOVED[action]), 2), 2)
                                       for i in range(len(PRODUCTS))]}


def test_pictures_of_the_documentation(dashboard, service):
    service.create("spring-offers", policy="up_ts", actions=OFFERS, variables=PRODUCTS, wait=86400,
                   knowledge={"affected": [MOVED[action] for action in range(len(OFFERS))]})
    service.play("spring-offers", 400, sales(1))
    for _ in range(3):
        service.decide("spring-offers")
    dashboard.size(1280, 1660)
    dashboard.open(service.campaign_page("spring-offers"))
    dashboard.wait(lambda: "10 % off\n★ highest estimate" in dashboard.text(), "the best offer")
    dashboard.wait(lambda: dashboard.run(HISTORY_IS_HERE), "the history")
    folder = pathlib.Path(os.environ["UPDRAFT_SCREENSHOTS"])
    dashboard.driver.save_screenshot(str(folder / "dashboard-campaign.png"))
    dashboard.size(*NARROW)
    dashboard.theme("dark")
    dashboard.wait(lambda: dashboard.overflow() <= 0, "a page as wide as the window")
    dashboard.driver.save_screenshot(str(folder / "dashboard-phone-dark.png"))
