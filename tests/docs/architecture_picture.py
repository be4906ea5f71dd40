"""The picture of the packages, from their imports; `python -m tests.docs.architecture_picture` draws it anew.

A package stands below all that import it. Arrows point to what is imported; those that follow from others are left out.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from xml.sax.saxutils import escape

from tests.docs.pages import ROOT

SOURCES = ROOT / "src" / "screwgraph"
PICTURE = ROOT / "docs" / "pictures" / "architecture.svg"
WIDTH, HEIGHT, GAP, RISE = 190, 68, 60, 28
"""Of a box, and between boxes (pixels)."""
IN_A_LINE = 34
"""Characters of the names of subpackages in one line."""


def read_imports() -> dict[str, set[str]]:
    """Return which packages each package imports when it runs; imports for type checkers do not count."""
    found = {path.name: set[str]() for path in SOURCES.iterdir() if (path / "__init__.py").exists()}
    for package, imported in found.items():
        for path in (SOURCES / package).rglob("*.py"):
            for module in _list_modules(ast.parse(path.read_text(encoding="utf-8"))):
                name = module.split(".")[1] if module.startswith("screwgraph.") else package
                imported |= {name} & found.keys() - {package}
    return found


def arrange_levels(imports: Mapping[str, set[str]]) -> dict[str, int]:
    """Return the level of each package: 0 imports none, others stand one above the highest that they import."""
    levels = dict[str, int]()
    while len(levels) < len(imports):
        ready = {p: own for p, own in imports.items() if p not in levels and own <= levels.keys()}
        levels |= {p: max((levels[q] + 1 for q in own), default=0) for p, own in ready.items()}
        assert ready, "packages import each other in a circle"
    return levels


def reduce_edges(imports: Mapping[str, set[str]]) -> list[tuple[str, str]]:
    """Return imports that do not follow from others: the transitive reduction."""
    return sorted(
        (p, q) for p, own in imports.items() for q in own if not any(q in _reach(r, imports) for r in own - {q})
    )


def draw_packages() -> str:
    """Return the picture as SVG."""
    imports = read_imports()
    levels = arrange_levels(imports)
    rows = [sorted(p for p, n in levels.items() if n == level) for level in range(max(levels.values()), -1, -1)]
    wide = max(map(len, rows)) * (WIDTH + GAP) + GAP
    corners = {
        p: (wide / 2 + (i - len(row) / 2) * (WIDTH + GAP) + GAP / 2, RISE / 2 + n * (HEIGHT + RISE))
        for n, row in enumerate(rows)
        for i, p in enumerate(row)
    }
    tall = len(rows) * (HEIGHT + RISE)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {tall}" font-family="sans-serif">',
        '<defs><marker id="head" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto">',
        '<path d="M0,0 L8,4 L0,8 z" fill="#5b6b7b"/></marker></defs>',
        f'<rect width="{wide}" height="{tall}" fill="white"/>',
    ]
    parts += [_draw_arrow(corners[p], corners[q]) for p, q in reduce_edges(imports)]
    parts += [_draw_box(p, corner) for p, corner in corners.items()]
    return "\n".join([*parts, "</svg>", ""])


def _list_modules(tree: ast.AST) -> Iterator[str]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ImportFrom):
            yield from (
                f"{node.module}.{a.name}" if node.module == "screwgraph" else f"{node.module}" for a in node.names
            )
        elif isinstance(node, ast.Import):
            yield from (a.name for a in node.names)
        elif not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"):
            yield from _list_modules(node)


def _reach(package: str, imports: Mapping[str, set[str]]) -> set[str]:
    return imports[package].union(*(_reach(p, imports) for p in imports[package]))


def _draw_arrow(above: tuple[float, float], below: tuple[float, float]) -> str:
    (x, y), (u, v) = (above[0] + WIDTH / 2, above[1] + HEIGHT), (below[0] + WIDTH / 2, below[1])
    return f'<line x1="{x}" y1="{y}" x2="{u}" y2="{v}" stroke="#5b6b7b" marker-end="url(#head)"/>'


def _draw_box(package: str, corner: tuple[float, float]) -> str:
    x, y = corner
    lines = _wrap(sorted(p.name for p in (SOURCES / package).iterdir() if (p / "__init__.py").exists()))
    middle = f'x="{x + WIDTH / 2}" text-anchor="middle"'
    texts = [
        f'<text {middle} y="{y + 37 + 12 * i}" font-size="9.5" fill="#444">{escape(line)}</text>'
        for i, line in enumerate(lines)
    ]
    return "\n".join(
        [
            f'<rect x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="6" fill="#eef3f8" stroke="#5b6b7b"/>',
            f'<text {middle} y="{y + 20}" font-size="15">{package}</text>',
            *texts,
        ]
    )


def _wrap(names: list[str]) -> list[str]:
    lines = [""]
    for name in names:
        if lines[-1] and len(lines[-1]) + len(name) > IN_A_LINE:
            lines[-1] += ","
            lines.append("")
        lines[-1] += f", {name}" if lines[-1] else name
    return lines


if __name__ == "__main__":
    PICTURE.write_text(draw_packages(), encoding="utf-8")
