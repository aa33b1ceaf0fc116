#!/usr/bin/env python3
"""Whether every include of src/ and include/ is allowed by docs/layers.toml, no headers include each
other in a circle, the picture is the one that docs/draw_layers.py draws, and nobody outside
src/policies knows a policy by its name or its class.

Usage: layers_test.py SOURCE_DIR"""

import re
import sys
import tomllib
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1) if len(sys.argv) > 1 else ".").resolve()
sys.path.insert(0, str(ROOT / "docs"))
import draw_layers  # noqa: E402


def includes(text):
    return re.findall(r'^#include "([^"]+)"', text, re.MULTILINE)


def files():
    """Path as it is included -> text."""
    out = {}
    for folder in ("src", "include"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".h", ".cc"):
                out[str(path.relative_to(ROOT / folder))] = path.read_text()
    return out


def programs():
    """The same of the programs and pages that use the library; paths from the root."""
    out = {}
    for folder, suffixes in (("apps", (".h", ".cc")), ("python", (".h", ".cc", ".py")), ("web/src", (".ts",))):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in suffixes and "tests" not in path.parts:
                out[str(path.relative_to(ROOT))] = path.read_text()
    return out


def owner_of(layers):
    owners = {f"updraft/{h}.h": name for name, layer in layers.items() for h in layer["headers"]}

    def owner(path):
        return owners.get(path) if path.startswith("updraft/") else path.split("/")[0]

    return owner


def forbidden(texts, layers):
    """Edges against the layers, as text."""
    owner = owner_of(layers)
    out = []
    for path, text in texts.items():
        if path == "updraft/updraft.h":
            continue  # includes all public headers
        own = owner(path)
        if own not in layers:
            out.append(f"{path}: belongs to no layer")
            continue
        for included in includes(text):
            other = owner(included) if "/" in included else own
            if other != own and other not in layers[own]["uses"]:
                out.append(f"{path} includes {included}: {own} does not use {other}")
    return out


def circle(texts):
    """A circle of headers, or None."""
    done = set()

    def visit(path, way):
        if path in way:
            return way[way.index(path):] + [path]
        if path in done or path not in texts:
            return None
        for included in includes(texts[path]):
            found = visit(included, way + [path])
            if found:
                return found
        done.add(path)
        return None

    return next((found for path in texts if (found := visit(path, []))), None)


def crossed(picture):
    """Boxes of the picture that arrows of straight lines pass through."""
    boxes = [tuple(map(int, box)) for box in re.findall(
        r'<rect x="(\d+)" y="(\d+)" width="(\d+)" height="(\d+)"', picture)]
    out = []
    for path in re.findall(r'd="(M\d+ \d+ H\d+ V\d+ H\d+)"', picture):
        x, y, aside, to_y, to_x = map(int, re.findall(r"\d+", path))
        for x1, y1, x2, y2 in ((x, y, aside, y), (aside, y, aside, to_y), (aside, to_y, to_x, to_y)):
            out += [(path, box) for box in boxes
                    if min(x1, x2) < box[0] + box[2] and max(x1, x2) > box[0]
                    and min(y1, y2) < box[1] + box[3] and max(y1, y2) > box[1]]
    return out


def policy_names(texts):
    """The names in the tables of the registry."""
    tables = "".join(text for path, text in texts.items() if re.match(r"policies/.*(registry|table)\.cc", path))
    return set(re.findall(r'(?:\.name = |\brow\(\s*)"(\w+)"', tables))


def named_policies(texts, names):
    """Literals outside the policies that are the name of one, with parameters or without, as text."""
    out = []
    for path, text in texts.items():
        if path.startswith("policies/") or path in NAMES_ALLOWED:
            continue
        if path.endswith(".py"):  # without documentation
            text = re.sub(r'""".*?"""', "", text, flags=re.DOTALL)
        literals = re.findall(r'"((?:[^"\\\n]|\\.)*)"', text)
        found = [each for each in literals if re.fullmatch(r"(\w+)(\(.*\))?", each)
                 and each.split("(")[0] in names]
        out += [f'{path}: "{each}"' for each in found]
    return out


def casts(texts):
    """Casts outside the policies that ask of which class a policy is."""
    return [f"{path}: {cast}" for path, text in texts.items() if not path.startswith("policies/")
            for cast in re.findall(r"dynamic_(?:pointer_)?cast<[^>]*Policy[^>]*>|typeid\(", text)]


# The paper's claims and bounds are about policies that it names; the simulation has an oracle, and
# the demo and the page's example of a request choose a policy as users do.
NAMES_ALLOWED = {
    "report/bandit_claims.cc", "report/targeting_claims.cc",
    "theory/bounds.cc", "theory/targeting_bounds.cc",
    "experiments/population_rounds.cc", "apps/updraft/demo_campaign.cc",
    "web/src/dashboard/campaign_list.ts",
}


class Layers(unittest.TestCase):
    layers = tomllib.loads((ROOT / "docs/layers.toml").read_text())
    texts = files()

    def test_includes_follow_the_layers(self):
        self.assertGreater(len(self.texts), 200)
        self.assertEqual(forbidden(self.texts, self.layers), [])

    def test_each_layer_uses_those_before_it(self):
        names = list(self.layers)
        for j, name in enumerate(names):
            self.assertLessEqual(set(self.layers[name]["uses"]), set(names[:j]), name)

    def test_no_permission_is_idle(self):
        owner = owner_of(self.layers)
        used = {(owner(p), owner(i)) for p, t in self.texts.items() for i in includes(t) if "/" in i}
        for name, layer in self.layers.items():
            for other in layer["uses"]:
                self.assertIn((name, other), used, "remove it from docs/layers.toml")

    def test_headers_include_no_circle(self):
        self.assertIsNone(circle(self.texts))

    def test_the_picture_is_that_of_the_layers(self):
        drawn = draw_layers.draw(self.layers)
        self.assertEqual((ROOT / "docs/images/layers.svg").read_text(), drawn, "run docs/draw_layers.py")
        self.assertEqual(crossed(drawn), [])

    def test_no_policy_is_known_by_its_name(self):
        names = policy_names(self.texts)
        self.assertTrue({"auto", "ucb", "up_ts", "c2_ucb", "oracle", "lin_ucb"} <= names, names)
        everything = self.texts | programs()
        self.assertEqual(named_policies(everything, names), [], "use a trait of the registry")
        self.assertEqual(casts(everything), [], "use a trait of the registry")
        used = {line.split(":")[0] for line in named_policies(
            {f"other/{path}": everything[path] for path in NAMES_ALLOWED}, names)}
        self.assertEqual(used, {f"other/{path}" for path in NAMES_ALLOWED}, "remove it from the list")

    def test_sees_what_is_forbidden(self):
        self.assertEqual(named_policies({"report/a.cc": 'if (name == "ucb") "not ucb";',
                                         "policies/b.cc": '"ucb"'}, {"ucb"}), ['report/a.cc: "ucb"'])
        self.assertEqual(named_policies({"a.py": '"ucb(alpha=3)" """as "ucb" does"""'}, {"ucb"}),
                         ['a.py: "ucb(alpha=3)"'])
        self.assertEqual(len(casts({"a.cc": "dynamic_cast<const UpTsPolicy*>(p)",
                                    "policies/b.cc": "dynamic_cast<Policy*>(p)"})), 1)
        layers = {"low": {"headers": ["low"], "uses": []}, "high": {"headers": [], "uses": ["low"]}}
        good = {"high/a.cc": '#include "low/b.h"\n#include "updraft/low.h"\n', "low/b.h": ""}
        self.assertEqual(forbidden(good, layers), [])
        bad = {"low/b.h": '#include "high/a.h"\n', "updraft/odd.h": ""}
        self.assertEqual(len(forbidden(bad, layers)), 2)
        box = '<rect x="10" y="10" width="20" height="20"/>'
        self.assertEqual(len(crossed(box + '<path d="M50 20 H5 V80 H40"/>')), 1)
        self.assertEqual(crossed(box + '<path d="M30 20 H60 V80 H40"/>'), [])
        self.assertEqual(circle({"a.h": '#include "b.h"\n', "b.h": '#include "a.h"\n'}),
                         ["a.h", "b.h", "a.h"])


if __name__ == "__main__":
    unittest.main()
