"""What the page carries, without a browser."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from playground.bundle import own


def test_each_module_that_the_page_imports_is_in_the_page():
    files = {path.removesuffix(".py").removesuffix("/__init__").replace("/", "."): text for path, text in own().items()}
    missing, seen, waiting = {}, set[str](), ["program"]
    while waiting:
        module = waiting.pop()
        seen.add(module)
        for name in imported(ast.parse(files[module])):
            if name in files:
                waiting += {name} - seen
            elif name.startswith("screwgraph"):
                missing[name] = module
    assert not missing


def imported(tree: ast.Module) -> Iterator[str]:
    """Yield the modules, and packages around them, that are imported when a module is loaded."""
    for statement in tree.body:
        names: list[str] = []
        if isinstance(statement, ast.ImportFrom):
            names = [statement.module or ""]
        elif isinstance(statement, ast.Import):
            names = [alias.name for alias in statement.names]
        for name in names:
            parts = name.split(".")
            yield from (".".join(parts[:n]) for n in range(1, len(parts) + 1))
