"""The colours of both themes have contrast enough: 4.5 for text, 3 for lines (WCAG 2.1)."""

import pathlib
import re

import pytest

STYLE = pathlib.Path(__file__).parents[2] / "web" / "style.css"
THEMES = [dict(re.findall(r"--([\w-]+): (#\w{6});", block))
          for block in re.findall(r":root \{(.*?)\}", STYLE.read_text(), re.S)]


def luminance(colour):
    channels = [int(colour[at:at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_there_are_two_themes():
    assert len(THEMES) == 2
    assert set(THEMES[0]) == set(THEMES[1])


@pytest.mark.parametrize("theme", THEMES, ids=["light", "dark"])
def test_text_has_contrast(theme):
    for ground in ("page", "surface", "soft", "warning-soft", "good-soft", "failure-soft"):
        assert contrast(theme["ink"], theme[ground]) >= 7, ground
        assert contrast(theme["muted"], theme[ground]) >= 4.5, ground
    for text in ("accent", "warning", "failure", "good"):
        for ground in ("page", "surface", "soft"):
            assert contrast(theme[text], theme[ground]) >= 4.5, (text, ground)
    assert contrast(theme["good"], theme["good-soft"]) >= 4.5
    assert contrast(theme["accent"], theme["warning-soft"]) >= 4.5
    assert contrast(theme["on-accent"], theme["accent"]) >= 4.5


@pytest.mark.parametrize("theme", THEMES, ids=["light", "dark"])
def test_lines_have_contrast(theme):
    for place in range(8):
        assert contrast(theme[f"series-{place}"], theme["surface"]) >= 3, place


def test_nothing_moves():
    assert not re.search(r"\b(transition|animation)\b", STYLE.read_text())
