"""Sources with many mutants in them, of which one is active: an import hook.

A chosen expression becomes `(mutant if __mutant__(k) else expression)`, so that one process records which tests reach
which mutants (`SEEN`), and a fork of it tries one. What runs when a module is imported cannot be switched later, and
kernels are translated from their text: there the file is imported with the changed text (`install_text`).
"""

from __future__ import annotations

import ast
import linecache
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

from tests.mutants.changes import Change, list_nodes

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "screwgraph"
NAME = "__mutant__"
"""The function that modules ask, in their own names."""
SEEN = set[int]()
"""Numbers of the mutants that have been reached since the set was emptied."""
active = -1
"""The number of the mutant that runs in the place of its expression; none by default."""


def number_visit(numbers: Iterable[int]) -> int:
    """Return the number that stands for any function of a file, by those of the mutants in it."""
    return -2 - min(numbers)


def is_active(number: int) -> bool:
    """Note that a mutant is reached, and tell whether it runs."""
    SEEN.add(number)
    return active == number


def make_switched(source: str, changes: Mapping[int, Change], visit: int) -> ast.Module:
    """Return a module with mutants, by their numbers, beside what they replace; its functions note `visit`, too."""
    tree = ast.parse(source)
    nodes = list_nodes(tree)
    chosen = defaultdict[ast.AST, list[tuple[int, Change]]](list)
    for number, change in changes.items():
        chosen[nodes[change.node]].append((number, change))
    _Switch(source, chosen, visit).visit(tree)
    return ast.fix_missing_locations(tree)


class _Switch(ast.NodeTransformer):
    def __init__(self, source: str, chosen: Mapping[ast.AST, Sequence[tuple[int, Change]]], number: int) -> None:
        self.source, self.chosen, self.number = source, chosen, number

    def visit(self, node: ast.AST) -> ast.AST:
        found = self.chosen.get(node, ())
        node = self.generic_visit(node)
        if isinstance(node, ast.FunctionDef):
            first = node.body[0]
            is_text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
            node.body.insert(int(is_text), ast.copy_location(ast.Expr(_ask(self.number)), first))
        for number, change in found:
            assert isinstance(node, ast.expr | ast.stmt)
            text = change.apply(self.source)[
                change.outer[0] : change.outer[1] + len(change.replacement) - len(change.text)
            ]
            if isinstance(node, ast.stmt):
                new = ast.If(_ask(number), ast.parse(text).body, [node])
            else:
                assert isinstance(node, ast.expr)
                new = ast.IfExp(_ask(number), ast.parse(f"({text})", mode="eval").body, node)
            for part in ast.walk(new.body[0] if isinstance(new, ast.If) else new.body):
                if isinstance(part, ast.expr | ast.stmt):
                    part.lineno = part.end_lineno = node.lineno
            node = ast.copy_location(new, node)
        return node


def _ask(number: int) -> ast.Call:
    return ast.Call(ast.Name(NAME, ast.Load()), [ast.Constant(number)], [])


class _SwitchedLoader(SourceFileLoader):
    changes: Mapping[int, Change]
    visit: int

    def get_code(self, fullname: str) -> CodeType:
        source = Path(self.path).read_text(encoding="utf-8")
        return compile(make_switched(source, self.changes, self.visit), self.path, "exec", dont_inherit=True)

    def exec_module(self, module: ModuleType) -> None:
        module.__dict__[NAME] = is_active
        super().exec_module(module)


class _ChangedLoader(SourceFileLoader):
    text: str

    def get_code(self, fullname: str) -> CodeType:
        linecache.cache[self.path] = (len(self.text), None, self.text.splitlines(keepends=True), self.path)
        return compile(self.text, self.path, "exec", dont_inherit=True)


class _Finder(MetaPathFinder):
    def __init__(self, switched: Mapping[Path, Mapping[int, Change]], changed: Mapping[Path, str]) -> None:
        self.switched, self.changed = switched, changed

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not fullname.startswith("screwgraph"):
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or spec.origin is None:
            return spec
        file = Path(spec.origin)
        if file in self.changed:
            loader = _ChangedLoader(fullname, spec.origin)
            loader.text = self.changed[file]
            spec.loader = loader
        elif file in self.switched:
            loader = _SwitchedLoader(fullname, spec.origin)
            loader.changes = self.switched[file]
            loader.visit = number_visit(self.switched[file])
            spec.loader = loader
        return spec


def install_switches(mutants: Mapping[int, tuple[str, Change]]) -> None:
    """Import the package's files with mutants, (file, change) by their numbers, that `active` switches."""
    switched = defaultdict[Path, dict[int, Change]](dict)
    for number, (file, change) in mutants.items():
        switched[PACKAGE / file][number] = change
    _install(_Finder(switched, {}))


def install_text(file: str, text: str) -> None:
    """Import a file of the package with another text; `inspect` reads it, too."""
    _install(_Finder({}, {PACKAGE / file: text}))


def _install(finder: _Finder) -> None:
    if any(name.partition(".")[0] == "screwgraph" for name in sys.modules):
        raise RuntimeError("the package is imported already: mutants come first")
    sys.meta_path.insert(0, finder)
