#!/usr/bin/env python3
"""Draws docs/images/layers.svg from docs/layers.toml: an arrow from each layer to those it uses,
without the arrows that follow from others."""

import tomllib
from pathlib import Path
from xml.sax.saxutils import escape

WIDTH, BOX, HEIGHT, GAP = 1040, 300, 74, 34
ON_TOP = {
    "apps/updraft": {"holds": "the command line: text to library calls", "uses": ["service"]},
    "python": {"holds": "the Python module: arrays to library calls", "uses": ["report", "inference"], "row": 2},
}
# Long arrows go around the boxes between: that of the store on the left, those of these on the right.
ON_THE_RIGHT = ("inference", "logs", "data")


def used(name, layers):
    """All layers that `name` can reach."""
    reached = set()
    for other in layers[name]["uses"]:
        reached |= {other} | used(other, layers)
    return reached


def arrows(name, layers):
    """The layers that `name` uses and reaches by no other way."""
    uses = set(layers[name]["uses"])
    return sorted(o for o in uses if not any(o in used(other, layers) for other in uses - {o}))


def row_of(name, layers):
    """From the top: each layer as high as those that use it allow."""
    users = [user for user in layers if name in layers[user]["uses"]]
    return max((1 + row_of(user, layers) for user in users), default=ON_TOP.get(name, {}).get("row", 0))


def arrow(start, end, rows_apart):
    """From the bottom of a box to the top of another; around the others if some are between."""
    (x, y), (to_x, to_y) = start, end
    if rows_apart == 1:
        x, to_x = x + BOX / 2, to_x + BOX / 2
        return (
            f"M{x:.0f} {y + HEIGHT:.0f} C{x:.0f} {y + HEIGHT + 30:.0f} "
            f"{to_x:.0f} {to_y - 30:.0f} {to_x:.0f} {to_y:.0f}"
        )
    if x + BOX < WIDTH / 2 < to_x:  # two columns leave a way between them
        return (
            f"M{x + BOX:.0f} {y + HEIGHT / 2:.0f} H{WIDTH / 2:.0f} "
            f"V{to_y + HEIGHT / 2:.0f} H{to_x:.0f}"
        )
    left = x + BOX / 2 < WIDTH / 2
    aside = round(4 + y / 60)  # arrows from different rows keep apart
    margin = aside if left else WIDTH - aside
    side, to_side = (x, to_x) if left else (x + BOX, to_x + BOX)
    return f"M{side:.0f} {y + 0.7 * HEIGHT:.0f} H{margin} V{to_y + 0.3 * HEIGHT:.0f} H{to_side:.0f}"


def lines_of(text, limit=42):
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) >= limit:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def draw(layers):
    layers = layers | ON_TOP
    row = {name: row_of(name, layers) for name in layers}
    place = {}
    for number in set(row.values()):
        names = [name for name in layers if row[name] == number]
        names.sort(key=lambda name: (name in ON_THE_RIGHT) - (name == "store"))
        space = (WIDTH - BOX * len(names)) / (len(names) + 1)
        for j, name in enumerate(names):
            place[name] = (space + j * (BOX + space), 20 + number * (HEIGHT + GAP))
    height = 20 + (max(row.values()) + 1) * (HEIGHT + GAP)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        'font-family="sans-serif" font-size="13">',
        "<title>The layers of Updraft and what each uses</title>",
        '<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" '
        'markerHeight="8" orient="auto"><path d="M0 0 L8 4 L0 8 z" fill="#667"/></marker></defs>',
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
    ]
    for name in layers:
        for other in arrows(name, layers):
            path = arrow(place[name], place[other], row[other] - row[name])
            out.append(
                f'<path d="{path}" fill="none" stroke="#667" stroke-width="1.4" '
                'marker-end="url(#arrow)"/>'
            )
    for name, layer in layers.items():
        x, y = place[name]
        title = name if name in ON_TOP else f"src/{name}"
        out.append(
            f'<rect x="{x:.0f}" y="{y:.0f}" width="{BOX}" height="{HEIGHT}" rx="6" '
            'fill="#eef3fa" stroke="#4a6fa5"/>'
        )
        out.append(
            f'<text x="{x + 12:.0f}" y="{y + 22:.0f}" font-weight="bold" fill="#123">'
            f"{escape(title)}</text>"
        )
        for j, line in enumerate(lines_of(layer["holds"])):
            out.append(
                f'<text x="{x + 12:.0f}" y="{y + 42 + 17 * j:.0f}" fill="#234">'
                f"{escape(line)}</text>"
            )
    return "\n".join(out + ["</svg>", ""])


if __name__ == "__main__":
    docs = Path(__file__).parent
    picture = draw(tomllib.loads((docs / "layers.toml").read_text()))
    (docs / "images/layers.svg").write_text(picture)
