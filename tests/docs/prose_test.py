"""Lines of prose in the documentation have at most 100 characters. Tables, code, pictures and what has no
place to break are left out.

Usage: prose_test.py SOURCE_DIR
"""

import pathlib
import sys
import unittest

MOST = 100
SKIPPED = ("build", ".")  # folders that begin so


def too_long(text):
    """The numbers of the lines, from 1."""
    out, fence = [], None
    for number, line in enumerate(text.split("\n"), 1):
        begin = line.lstrip()
        marks = begin[: len(begin) - len(begin.lstrip("`"))]
        if fence is None and len(marks) >= 3:
            fence = marks
        elif fence is not None:
            if marks == fence:
                fence = None
        elif len(line) > MOST and not begin.startswith(("|", "![")) and not line.startswith("    "):
            if " " in begin[:MOST]:
                out.append(number)
    return out


def pages(source):
    for path in sorted(source.rglob("*.md")):
        folders = path.relative_to(source).parts[:-1]
        if not any(folder.startswith(SKIPPED) or folder == "node_modules" for folder in folders):
            yield path


class Prose(unittest.TestCase):
    def test_is_wrapped(self):
        found = list(pages(pathlib.Path(SOURCE)))
        self.assertGreater(len(found), 60)
        long = [f"{path}:{number}" for path in found for number in too_long(path.read_text())]
        self.assertEqual(long, [])

    def test_sees_what_is_too_long(self):
        line = "a " * 51
        self.assertEqual(too_long(f"short\n{line}\n"), [2])
        self.assertEqual(too_long(f"```sh\n{line}\n```\n{line}"), [4])
        self.assertEqual(too_long(f"````markdown\n```\n{line}\n```\n````\n{line}"), [6])
        self.assertEqual(too_long(f"| {line}\n![{line}](x)\n    {line}\n{'a' * 101}"), [])


if __name__ == "__main__":
    SOURCE = sys.argv.pop()
    unittest.main()
