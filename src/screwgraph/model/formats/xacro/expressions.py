"""Expressions of xacro files, evaluated by walking Python's syntax tree: nothing that is not named here is done.

Files are written by others. Names are those that the file and xacro define; attributes are keys of maps, names of
namespaces, and the methods that `values` lists. Nothing but the standard library is imported.
"""

from __future__ import annotations

import ast
import operator
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from screwgraph.model.formats.xacro.values import (
    ExpressionError,
    Function,
    Space,
    format_bounded,
    method,
    multiply_bounded,
    power,
    remainder,
    shift_left,
    validate_size,
)

LONGEST = 20_000
"""Characters of an expression."""
STEPS = 1_000_000
"""Parts of expressions that are evaluated for a file, those of loops each time."""

Names = Mapping[str, Any]

_BINARY: Mapping[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: multiply_bounded,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: remainder,
    ast.Pow: power,
    ast.LShift: shift_left,
    ast.RShift: operator.rshift,
    ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_,
    ast.BitXor: operator.xor,
}
_UNARY: Mapping[type, Callable[[Any], Any]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
    ast.Not: operator.not_,
    ast.Invert: operator.invert,
}
_COMPARISONS: Mapping[type, Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,  # codespell:ignore notin
}
_ITERABLE = (str, list, tuple, dict, set, frozenset, range)


class Evaluator:
    """Evaluates the expressions of one file, and counts what they take.

    `namespaces` are types of maps whose names stand behind a dot, and whose own methods are nobody's business.
    """

    def __init__(self, namespaces: tuple[type, ...] = ()) -> None:
        self._namespaces = (Space, *namespaces)
        self._left = STEPS

    def evaluate(self, text: str, names: Names) -> Any:
        """Return the value of an expression.

        Raises:
            ExpressionError: it asks for what expressions may not do, or for too much.
            SyntaxError: it is none.
            NameError: a name is not defined.
            Exception: what Python raises over wrong values.
        """
        text = text.strip()
        if len(text) > LONGEST:
            raise ExpressionError(f"an expression is longer than {LONGEST} characters")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text, "<expression>", "eval")
        return validate_size(self._value(tree.body, names))

    def _value(self, node: ast.AST, names: Names) -> Any:
        self._left -= 1
        if self._left < 0:
            raise ExpressionError("the expressions of the file take too long")
        handler = _HANDLERS.get(type(node))
        if handler is None:
            raise ExpressionError(f"{_describe_node(node)} is not allowed in expressions")
        return handler(self, node, names)

    def _constant(self, node: ast.Constant, names: Names) -> Any:
        if not isinstance(node.value, str | int | float | complex | None):
            raise ExpressionError(f"{node.value!r} is not allowed in expressions")
        return node.value

    def _name(self, node: ast.Name, names: Names) -> Any:
        if node.id.startswith("__"):
            raise ExpressionError(f"the name {node.id!r} is not allowed in expressions")
        if node.id not in names:
            raise NameError(f"name {node.id!r} is not defined")
        return names[node.id]

    def _attribute(self, node: ast.Attribute, names: Names) -> Any:
        value, name = self._value(node.value, names), node.attr
        if name.startswith("__"):
            raise ExpressionError(f"the name {name!r} is not allowed in expressions")
        if isinstance(value, self._namespaces):
            known = value.names if isinstance(value, Space) else value
            if name not in known:
                raise NameError(f"name {name!r} is not defined")
            return known[name]
        if isinstance(value, complex | float | int) and name in ("real", "imag"):
            return getattr(value, name)
        try:
            return method(value, name)
        except ExpressionError:
            if not isinstance(value, dict):
                raise
        if name not in value:
            raise ExpressionError(f"the map has no key {name!r}")
        return value[name]

    def _subscript(self, node: ast.Subscript, names: Names) -> Any:
        value = self._value(node.value, names)
        if not isinstance(value, str | list | tuple | range | dict):
            raise ExpressionError(f"a {type(value).__name__} has no parts in brackets")
        return value[self._value(node.slice, names)]

    def _slice(self, node: ast.Slice, names: Names) -> slice:
        return slice(
            *(None if part is None else self._value(part, names) for part in (node.lower, node.upper, node.step))
        )

    def _call(self, node: ast.Call, names: Names) -> Any:
        function = self._value(node.func, names)
        if not isinstance(function, Function):
            raise ExpressionError(f"{ast.unparse(node.func)} is not a function")
        values = self._evaluate_list(node.args, names)
        named: dict[str, Any] = {}
        for keyword in node.keywords:
            value = self._value(keyword.value, names)
            named |= value if keyword.arg is None else {keyword.arg: value}
        return function(*values, **named)

    def _evaluate_list(self, nodes: Sequence[ast.expr], names: Names) -> list[Any]:
        values: list[Any] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                values += self._iterable(node.value, names)
            else:
                values.append(self._value(node, names))
        return values

    def _iterable(self, node: ast.expr, names: Names) -> list[Any]:
        value = self._value(node, names)
        if not isinstance(value, _ITERABLE):
            raise ExpressionError(f"a {type(value).__name__} has no parts to go through")
        return list(value)

    def _binary(self, node: ast.BinOp, names: Names) -> Any:
        a, b = self._value(node.left, names), self._value(node.right, names)
        return validate_size(_BINARY[type(node.op)](a, b))

    def _unary(self, node: ast.UnaryOp, names: Names) -> Any:
        return _UNARY[type(node.op)](self._value(node.operand, names))

    def _boolean(self, node: ast.BoolOp, names: Names) -> Any:
        ends = isinstance(node.op, ast.Or)
        for part in node.values[:-1]:
            value = self._value(part, names)
            if bool(value) is ends:
                return value
        return self._value(node.values[-1], names)

    def _evaluate_comparison(self, node: ast.Compare, names: Names) -> Any:
        left: Any = self._value(node.left, names)
        result: Any = True
        for comparison, part in zip(node.ops, node.comparators, strict=True):
            right = self._value(part, names)
            result = _COMPARISONS[type(comparison)](left, right)
            if not result:
                break
            left = right
        return result

    def _choice(self, node: ast.IfExp, names: Names) -> Any:
        return self._value(node.body if self._value(node.test, names) else node.orelse, names)

    def _map(self, node: ast.Dict, names: Names) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            own = self._value(value, names)
            found |= own if key is None else {self._value(key, names): own}
        return found

    def _text(self, node: ast.JoinedStr, names: Names) -> str:
        return validate_size("".join(self._value(part, names) for part in node.values))

    def _field(self, node: ast.FormattedValue, names: Names) -> str:
        spec = "" if node.format_spec is None else self._value(node.format_spec, names)
        conversion = chr(node.conversion) if node.conversion > 0 else ""
        return format_bounded(self._value(node.value, names), spec, conversion)

    def _lambda(self, node: ast.Lambda, names: Names) -> Function:
        taken = node.args
        if taken.vararg or taken.kwarg or taken.kwonlyargs:
            raise ExpressionError("such a lambda is not allowed in expressions")
        own = [a.arg for a in (*taken.posonlyargs, *taken.args)]
        defaults = [self._value(default, names) for default in taken.defaults]

        def call_lambda(*values: Any) -> Any:
            missing = len(own) - len(values)
            if not 0 <= missing <= len(defaults):
                raise TypeError(f"the lambda takes {len(own)} arguments, {len(values)} were given")
            given = (*values, *defaults[len(defaults) - missing :])
            return self._value(node.body, _within(names, dict(zip(own, given, strict=True))))

        return Function("lambda", call_lambda)

    def _comprehension(self, node: Any, names: Names) -> Any:
        if isinstance(node, ast.DictComp):
            return validate_size(
                {self._value(node.key, n): self._value(node.value, n) for n in self._each(node.generators, names)}
            )
        values = validate_size([self._value(node.elt, own) for own in self._each(node.generators, names)])
        return set(values) if isinstance(node, ast.SetComp) else values

    def _each(self, loops: Sequence[ast.comprehension], names: Names) -> Iterator[Names]:
        if not loops:
            yield names
            return
        first, *others = loops
        if first.is_async:
            raise ExpressionError("async is not allowed in expressions")
        for value in self._iterable(first.iter, names):
            own = _within(names, dict(_assign_targets(first.target, value)))
            if all(self._value(condition, own) for condition in first.ifs):
                yield from self._each(others, own)


def _assign_targets(target: ast.expr, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the names of a loop, and their values."""
    if isinstance(target, ast.Name):
        yield target.id, value
        return
    if not isinstance(target, ast.Tuple | ast.List) or not isinstance(value, str | list | tuple):
        raise ExpressionError(f"{ast.unparse(target)} cannot be assigned to in expressions")
    if len(target.elts) != len(value):
        raise ValueError(f"{ast.unparse(target)} is of {len(target.elts)} values, not {len(value)}")
    yield from chain.from_iterable(map(_assign_targets, target.elts, value))


class _Within(dict[str, Any]):
    """Names of a loop or a lambda, over those around it."""

    def __init__(self, own: Mapping[str, Any], around: Names) -> None:
        super().__init__(own)
        self.around = around

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or name in self.around

    def __missing__(self, name: str) -> Any:
        return self.around[name]


def _within(around: Names, own: Mapping[str, Any]) -> Names:
    return _Within(own, around)


def _describe_node(node: ast.AST) -> str:
    """Say what a part of an expression is."""
    return {"NamedExpr": "':='", "Await": "await", "Yield": "yield", "Starred": "'*'"}.get(
        type(node).__name__, type(node).__name__
    )


_HANDLERS: Mapping[type, Callable[[Evaluator, Any, Names], Any]] = {
    ast.Constant: Evaluator._constant,
    ast.Name: Evaluator._name,
    ast.Attribute: Evaluator._attribute,
    ast.Subscript: Evaluator._subscript,
    ast.Slice: Evaluator._slice,
    ast.Call: Evaluator._call,
    ast.BinOp: Evaluator._binary,
    ast.UnaryOp: Evaluator._unary,
    ast.BoolOp: Evaluator._boolean,
    ast.Compare: Evaluator._evaluate_comparison,
    ast.IfExp: Evaluator._choice,
    ast.Dict: Evaluator._map,
    ast.List: lambda own, node, names: own._evaluate_list(node.elts, names),
    ast.Tuple: lambda own, node, names: tuple(own._evaluate_list(node.elts, names)),
    ast.Set: lambda own, node, names: set(own._evaluate_list(node.elts, names)),
    ast.JoinedStr: Evaluator._text,
    ast.FormattedValue: Evaluator._field,
    ast.Lambda: Evaluator._lambda,
    **dict.fromkeys((ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp), Evaluator._comprehension),
}
