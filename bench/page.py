"""Tables of docs/performance.md, which stand between marks."""

import sys
import textwrap
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent / "docs" / "performance.md"


def wrapped(line):
    """`line` in lines of at most 100; a row of a table stays one."""
    if line.startswith("|"):
        return line
    return textwrap.fill(line, 100, break_long_words=False, break_on_hyphens=False)


def replace_part(name, lines):
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    text = PAGE.read_text()
    if begin not in text or end not in text:
        sys.exit(f"{PAGE.name} has no marks for {name}")
    head, rest = text.split(begin, 1)
    tail = rest.split(end, 1)[1]
    PAGE.write_text(head + begin + "\n" + "\n".join(wrapped(line) for line in lines) + "\n" + end + tail)
