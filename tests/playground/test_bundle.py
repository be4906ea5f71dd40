"""What the page carries, without a browser."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from importlib.util import find_spec

from playground.bundle import HERE, own


def test_each_module_that_the_page_imports_is_in_the_page():
    files = {path.removesuffix(".py").removesuffix("/__init__").replace("/", "."): text for path, text in own().items()}
    listed = {name.removesuffix("/__init__").replace("/", ".") for name in (HERE / "stdlib.txt").read_text().split()}
    missing, seen, waiting = {}, set[str](), ["program"]
    while waiting:
        module = waiting.pop()
        seen.add(module)
        for name in imported(ast.parse(files[module])):
            if name in files:
                waiting += {name} - seen
            elif name.startswith("screwgraph") or (is_source(name) and not listed & packages_of(name)):
                missing[name] = module
    assert not missing


def is_source(name: str) -> bool:
    """Return whether a module of Python's library is written in Python: others are in Python itself."""
    spec = find_spec(name) if name.partition(".")[0] in sys.stdlib_module_names else None
    return spec is not None and (spec.origin or "").endswith(".py")


def packages_of(name: str) -> set[str]:
    """Return the names of a module and of the packages around it."""
    parts = name.split(".")
    return {".".join(parts[:n]) for n in range(1, len(parts) + 1)}


def imported(tree: ast.Module) -> Iterator[str]:
    """Yield the modules, and packages around them, that are imported when a module is loaded."""
    for statement in tree.body:
        names: list[str] = []
        if isinstance(statement, ast.ImportFrom):
            names = [statement.module or ""]
        elif isinstance(statement, ast.Import):
            names = [alias.name for alias in statement.names]
        for name in names:
            yield from packages_of(name)
