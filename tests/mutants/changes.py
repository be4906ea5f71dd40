"""Small changes of a source file: one operator, number, condition or call each."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

BINARY = {ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.Mod: "*", ast.FloorDiv: "*"}
SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Mod: "%", ast.FloorDiv: "//"}
COMPARED = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.In: ("in", "not in"),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
}
UNTESTED = frozenset({"__repr__", "__str__", "__hash__"})
"""Functions that are not changed: what they return is text."""
RAISING = frozenset({"isinstance", "issubclass", "getattr", "hasattr", "setattr"})
"""Calls that any exchange of arguments makes raise: no test of its own is needed to notice."""
SYMMETRIC = frozenset({"allclose", "gcd", "hypot", "isclose", "logaddexp", "max", "maximum", "min", "minimum"})
"""Calls that an exchange of two arguments does not change."""
CHECKS = frozenset({"eq", "frozen", "strict"})
"""Options that refuse what never happens, or compare what nobody compares: another value changes no answer."""


@dataclass(frozen=True)
class Change:
    """Text between two places of a file, what replaces it, and the expression or statement that it is a part of.

    `node` is the number of the latter in `list_nodes`, `outer` its places in the text.
    """

    begin: int
    end: int
    line: int
    text: str
    replacement: str
    node: int
    outer: tuple[int, int]

    def apply(self, source: str) -> str:
        """Return the changed source."""
        return source[: self.begin] + self.replacement + source[self.end :]

    def __str__(self) -> str:
        return f"{self.text!r} -> {self.replacement!r}"


def list_changes(source: str) -> list[Change]:
    """Return all changes of a file's source; docstrings, annotations and texts stay."""
    tree = ast.parse(source)
    visitor = _Visitor(source, {node: number for number, node in enumerate(list_nodes(tree))})
    visitor.visit(tree)
    return [change for change in visitor.changes if change.text != change.replacement]


def list_nodes(tree: ast.Module) -> list[ast.AST]:
    """Return the nodes of a module in an order of their own: a change names its node by the place in it."""
    return list(ast.walk(tree))


class _Visitor(ast.NodeVisitor):
    def __init__(self, source: str, numbers: Mapping[ast.AST, int]) -> None:
        self.source, self.numbers, self.changes = source, numbers, list[Change]()
        self.starts = [0]
        for line in source.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        if node.name not in UNTESTED:
            for part in (*node.args.defaults, *(d for d in node.args.kw_defaults if d), *node.body):
                self.visit(part)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_If(self, node: ast.If) -> None:
        if ast.unparse(node.test) != "TYPE_CHECKING":
            self.generic_visit(node)

    def visit_Match(self, node: ast.Match) -> None:
        """Leave patterns as they are: they are not expressions."""
        self.visit(node.subject)
        for case in node.cases:
            for part in (case.guard, *case.body):
                if part is not None:
                    self.visit(part)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Leave texts as they are."""

    def visit_Raise(self, node: ast.Raise) -> None:
        self._replace(node, "pass")

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Call):
            self._replace(node, "pass")
            self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if isinstance(node.op, ast.MatMult):
            if self._text(node.left) != self._text(node.right):
                self._replace(node, f"({self._text(node.right)}) @ ({self._text(node.left)})")
        elif type(node.op) in BINARY:
            self._between(node, node.left, node.right, SIGNS[type(node.op)], BINARY[type(node.op)])
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if type(node.op) in BINARY:
            self._between(node, node.target, node.value, f"{SIGNS[type(node.op)]}=", f"{BINARY[type(node.op)]}=")
        self.visit(node.value)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, (ast.USub, ast.Not)):
            self._replace(node, f"({self._text(node.operand)})")
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        self._between(node, node.values[0], node.values[1], old, new)
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        if type(node.ops[0]) in COMPARED:
            self._between(node, node.left, node.comparators[0], *COMPARED[type(node.ops[0])])
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        changed: dict[type, Callable[..., object]] = {
            bool: lambda x: not x,
            int: lambda x: x + 1,
            float: lambda x: 1.1 * x if x else 1.0,
        }
        if type(node.value) in changed:
            self._replace(node, repr(changed[type(node.value)](node.value)))

    def visit_keyword(self, node: ast.keyword) -> None:
        if node.arg not in CHECKS:
            self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if node.attr == "T":
            self._replace(node, self._text(node.value))
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        is_trivial = name in RAISING or (name in SYMMETRIC and len(node.args) == 2)
        if len(node.args) >= 2 and not is_trivial and not any(isinstance(a, ast.Starred) for a in node.args[:2]):
            first, second = node.args[:2]
            begin, end = self._place(first)[0], self._place(second)[1]
            between = self.source[self._place(first)[1] : self._place(second)[0]]
            swapped = self._text(second) + between + self._text(first)
            self._add(node, begin, end, swapped)
        self.generic_visit(node)

    def _place(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        return tuple(self._offset(*at) for at in _ends(node))  # pyright: ignore[reportReturnType]

    def _offset(self, line: int, column: int) -> int:
        """Return a place in the text; Python counts columns in bytes."""
        start = self.starts[line - 1]
        text = self.source[start : self.starts[line]]
        return start + len(text.encode()[:column].decode())

    def _text(self, node: ast.expr) -> str:
        begin, end = self._place(node)
        return self.source[begin:end]

    def _replace(self, node: ast.expr | ast.stmt, replacement: str) -> None:
        self._add(node, *self._place(node), replacement)

    def _between(self, node: ast.expr | ast.stmt, left: ast.expr, right: ast.expr, old: str, new: str) -> None:
        """Replace the operator that stands between two operands."""
        at = self.source.find(old, self._place(left)[1], self._place(right)[0])
        if at >= 0:
            self._add(node, at, at + len(old), new)

    def _add(self, node: ast.expr | ast.stmt, begin: int, end: int, replacement: str) -> None:
        line = self.source.count("\n", 0, begin) + 1
        text = self.source[begin:end]
        self.changes.append(Change(begin, end, line, text, replacement, self.numbers[node], self._place(node)))


def _ends(node: ast.expr | ast.stmt) -> Iterator[tuple[int, int]]:
    yield node.lineno, node.col_offset
    yield node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
