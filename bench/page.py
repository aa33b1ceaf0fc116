"""Tables of docs/performance.md, which stand between marks."""

import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent / "docs" / "performance.md"


def replace_part(name, lines):
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    text = PAGE.read_text()
    if begin not in text or end not in text:
        sys.exit(f"{PAGE.name} has no marks for {name}")
    head, rest = text.split(begin, 1)
    tail = rest.split(end, 1)[1]
    PAGE.write_text(head + begin + "\n" + "\n".join(lines) + "\n" + end + tail)
