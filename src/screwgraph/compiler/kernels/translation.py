"""Kernels as LLVM assembly; `compilation.py` says which part of Python they may use.

A value is its text and its kind, one of those of `layouts`, or `i1`. A bundle is one argument in Python and one address
a field in machine code.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from screwgraph.compiler.kernels.records import Layouts

_ARITHMETIC = {
    ast.Add: ("add nsw", "fadd"),
    ast.Sub: ("sub nsw", "fsub"),
    ast.Mult: ("mul nsw", "fmul"),
    ast.Div: ("", "fdiv"),
    ast.FloorDiv: ("sdiv", ""),
    ast.Mod: ("srem", ""),
}
_COMPARED = {
    ast.Lt: ("slt", "olt"),
    ast.LtE: ("sle", "ole"),
    ast.Gt: ("sgt", "ogt"),
    ast.GtE: ("sge", "oge"),
    ast.Eq: ("eq", "oeq"),
    ast.NotEq: ("ne", "une"),
}
_FLAGS = "reassoc contract nsz"
_INTRINSICS = {
    "sqrt": ("sqrt", "double"),
    "abs": ("fabs", "double"),
    "maximum": ("maximum", "double, double"),
    "minimum": ("minimum", "double, double"),
}
"""What LLVM calls functions of numbers, and their arguments."""
PREFIX = "screwgraph_kernels"
"""What names of functions begin with in assembly."""

Kinds = tuple[str, list[tuple[str, str]]]
"""The kind of a kernel's result, and name and kind of each argument."""
Constants = tuple[tuple[str, int | float], ...]
"""Numbers of its module that a kernel names."""


def translate_kernels(
    functions: Sequence[ast.FunctionDef],
    constants: Sequence[Constants],
    layouts: Layouts,
    assembled: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Return LLVM assembly of kernels; callees come first. `assembled` has the texts of some by their whole names."""
    known: dict[str, Kinds] = {}
    calling = {"call_loop"}
    lines = [line for text in assembled.values() for line in text.splitlines()]
    declared = dict.fromkeys(line for line in lines if line.startswith("declare"))
    texts = [f"declare double @llvm.{name}.f64({given})" for name, given in _INTRINSICS.values()] + [*declared]
    texts += [line for line in lines if line not in declared]
    for tree, numbers in zip(functions, constants, strict=True):
        known[tree.name] = read_signature(tree, layouts)
        if f"{PREFIX}_{tree.name}" in assembled:
            continue
        if any(isinstance(node, ast.Name) and node.id in calling for node in ast.walk(tree)):
            calling.add(tree.name)
        texts.append(_Translation(tree, known, layouts, dict(numbers), tree.name not in calling).text())
    return "\n".join(texts)


def parse_kernel(source: str) -> ast.FunctionDef:
    """Return the syntax tree of a function's source. Raises SyntaxError of what is none."""
    tree = ast.parse(source).body[0]
    if not isinstance(tree, ast.FunctionDef):
        raise SyntaxError("expected a function")
    return tree


def read_signature(tree: ast.FunctionDef, layouts: Layouts) -> Kinds:
    """Return the kinds of the result and of each argument. Raises SyntaxError for a kind that there is not."""
    texts = [(a.arg, "" if a.annotation is None else ast.unparse(a.annotation)) for a in tree.args.args]
    result = "None" if tree.returns is None else ast.unparse(tree.returns)
    try:
        kinds = [(name, layouts.kind_of(text)) for name, text in texts]
        return ("void" if result == "None" else layouts.kind_of(result)), kinds
    except SyntaxError as error:
        raise SyntaxError(f"{tree.name}: {error.msg}") from None


def expand_kinds(arguments: Sequence[tuple[str, str]], layouts: Layouts) -> Iterator[tuple[str, str]]:
    """Yield names and kinds of arguments of machine code: of a bundle, those of its fields."""
    for name, kind in arguments:
        if kind.startswith("bundle."):
            yield from ((f"{name}.{field}", own) for field, own in layouts.list_fields(kind.removeprefix("bundle.")))
        else:
            yield name, kind


def is_pointer(kind: str) -> bool:
    """Return whether values of a kind are addresses."""
    return kind.startswith(("ptr.", "row.", "table."))


Value = tuple[str, str]
"""Its text, and its kind."""


@dataclass
class _Translation:
    """Lines of one kernel; locals stand in memory, which LLVM turns into registers."""

    tree: ast.FunctionDef
    known: dict[str, Kinds]
    layouts: Layouts
    constants: dict[str, int | float]
    apart: bool
    """Whether nothing else reads or writes its arrays while it runs."""
    lines: list[str] = field(default_factory=list)
    head: list[str] = field(default_factory=list)
    kinds: dict[str, str] = field(default_factory=dict)
    loops: list[tuple[str, str]] = field(default_factory=list)
    count: int = 0

    def text(self) -> str:
        result, arguments = self.known[self.tree.name]
        pointer = "ptr noalias" if self.apart else "ptr"
        passed = list(expand_kinds(arguments, self.layouts))
        listed = ", ".join(f"{pointer if is_pointer(k) else k} %a.{n}" for n, k in passed)
        for name, kind in arguments:
            if kind.startswith("bundle."):
                self.kinds[name] = kind
                continue
            self._declare(name, kind)
            self.lines.append(f"  store {_ll(kind)} %a.{name}, ptr %v.{name}")
        self._block(self.tree.body)
        ending = "ret void" if result == "void" else f"ret {result} {'0' if result == 'i64' else '0.0'}"
        body = [*self.head, *self.lines, f"  {ending}"]
        return "\n".join([f"define {result} @{PREFIX}_{self.tree.name}({listed}) {{", "entry:", *body, "}"])

    def _new(self, text: str) -> str:
        self.count += 1
        self.lines.append(f"  %t{self.count} = {text}")
        return f"%t{self.count}"

    def _label(self) -> str:
        self.count += 1
        return f"l{self.count}"

    def _start(self, label: str) -> None:
        self.lines += [f"  br label %{label}", f"{label}:"]

    def _declare(self, name: str, kind: str) -> None:
        if name not in self.kinds:
            self.kinds[name] = kind
            self.head.append(f"  %v.{name} = alloca {_ll(kind)}")
        elif self.kinds[name] != kind:
            raise SyntaxError(f"{self.tree.name}: {name} is {self.kinds[name]} and {kind}")

    def _block(self, body: Sequence[ast.stmt]) -> None:
        for statement in body:
            self._statement(statement)

    def _statement(self, s: ast.stmt) -> None:
        match s:
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                pass
            case ast.Expr(value=ast.Call() as call):
                self._call(call)
            case ast.Assign(targets=[target], value=value):
                self._store(target, self._value(value))
            case ast.AugAssign(target=target, op=op, value=value):
                self._store(target, self._arithmetic(op, self._value(target), self._value(value)))
            case ast.If(test=test, body=body, orelse=otherwise):
                self._if(test, body, otherwise)
            case ast.While(test=test, body=body, orelse=[]):
                self._while(test, body)
            case ast.For(target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range"), args=args), body=body):
                self._emit_for(name, args, body)
            case ast.Break() | ast.Continue():
                self.lines.append(f"  br label %{self.loops[-1][isinstance(s, ast.Break)]}")
                self.lines.append(f"{self._label()}:")
            case ast.Return(value=value):
                x, kind = ("", "void") if value is None else self._value(value)
                self.lines += [f"  ret {kind} {x}".rstrip(), f"{self._label()}:"]
            case _:
                raise SyntaxError(f"{self.tree.name}: cannot compile {ast.unparse(s)!r}")

    def _store(self, target: ast.expr, value: Value) -> None:
        text, kind = value
        if isinstance(target, ast.Name):
            self._declare(target.id, kind)
            self.lines.append(f"  store {_ll(kind)} {text}, ptr %v.{target.id}")
        else:
            place, entry = self._place(target)
            if entry != kind or is_pointer(kind):
                raise SyntaxError(f"{self.tree.name}: {kind} does not fit {ast.unparse(target)}")
            self.lines.append(f"  store {kind} {text}, ptr {place}")

    def _place(self, target: ast.expr) -> tuple[str, str]:
        """Return the address of an entry, a row or a field, and its kind."""
        match target:
            case ast.Subscript(value=value, slice=index):
                array, kind = self._value(value)
                if kind.startswith("table."):
                    record = kind.removeprefix("table.")
                    first = self._new(f"mul nsw i64 {self._value(index)[0]}, {self.layouts.width(record)}")
                    return self._new(f"getelementptr i64, ptr {array}, i64 {first}"), f"row.{record}"
                if kind.startswith("ptr."):
                    entry = kind.removeprefix("ptr.")
                    return self._new(f"getelementptr {entry}, ptr {array}, i64 {self._value(index)[0]}"), entry
            case ast.Attribute(value=value, attr=name):
                row, kind = self._value(value)
                if kind.startswith("bundle."):
                    own = dict(self.layouts.list_fields(kind.removeprefix("bundle."))).get(name)
                    if own is not None:
                        return f"{row}.{name}", own
                field = self.layouts.field(kind.removeprefix("row."), name) if kind.startswith("row.") else None
                if field is not None:
                    return self._new(f"getelementptr i64, ptr {row}, i64 {field[0]}"), field[1]
        raise SyntaxError(f"{self.tree.name}: {ast.unparse(target)} is no entry of an array, nor a field")

    def _if(self, test: ast.expr, body: list[ast.stmt], otherwise: list[ast.stmt]) -> None:
        yes, no, end = self._label(), self._label(), self._label()
        self.lines += [f"  br i1 {self._truth(test)}, label %{yes}, label %{no}", f"{yes}:"]
        self._block(body)
        self.lines += [f"  br label %{end}", f"{no}:"]
        self._block(otherwise)
        self._start(end)

    def _while(self, test: ast.expr, body: list[ast.stmt]) -> None:
        again, inside, end = self._label(), self._label(), self._label()
        self._start(again)
        self.lines += [f"  br i1 {self._truth(test)}, label %{inside}, label %{end}", f"{inside}:"]
        self.loops.append((again, end))
        self._block(body)
        self.loops.pop()
        self.lines += [f"  br label %{again}", f"{end}:"]

    def _emit_for(self, name: str, args: list[ast.expr], body: list[ast.stmt]) -> None:
        first = ("0", "i64") if len(args) == 1 else self._value(args[0])
        last = self._value(args[min(1, len(args) - 1)])[0]
        by = int(ast.literal_eval(args[2])) if len(args) == 3 else 1
        self._declare(name, "i64")
        again, inside, more, end = (self._label() for _ in range(4))
        self.count += 1
        counter = f"%c{self.count}"
        self.head.append(f"  {counter} = alloca i64")
        self.lines.append(f"  store i64 {first[0]}, ptr {counter}")
        self._start(again)
        i = self._new(f"load i64, ptr {counter}")
        test = self._new(f"icmp {'slt' if by > 0 else 'sgt'} i64 {i}, {last}")
        self.lines += [f"  br i1 {test}, label %{inside}, label %{end}", f"{inside}:"]
        self.lines.append(f"  store i64 {i}, ptr %v.{name}")
        self.loops.append((more, end))
        self._block(body)
        self.loops.pop()
        self._start(more)
        self.lines.append(f"  store i64 {self._new(f'add nsw i64 {i}, {by}')}, ptr {counter}")
        self.lines += [f"  br label %{again}", f"{end}:"]

    def _truth(self, e: ast.expr) -> str:
        value, kind = self._value(e)
        return value if kind == "i1" else self._new(f"icmp ne i64 {value}, 0")

    def _value(self, e: ast.expr) -> Value:
        match e:
            case ast.Constant(value=int() | float() as number):
                return _constant(number)
            case ast.Name(id=name) if name in self.constants:
                return _constant(self.constants[name])
            case ast.Name(id=name):
                if name not in self.kinds:
                    raise SyntaxError(f"{self.tree.name}: {name} is not known")
                if self.kinds[name].startswith("bundle."):
                    return f"%a.{name}", self.kinds[name]
                return self._new(f"load {_ll(self.kinds[name])}, ptr %v.{name}"), self.kinds[name]
            case ast.Subscript() | ast.Attribute():
                place, kind = self._place(e)
                return (place, kind) if is_pointer(kind) else (self._new(f"load {kind}, ptr {place}"), kind)
            case ast.BinOp(left=a, op=op, right=b):
                return self._arithmetic(op, self._value(a), self._value(b))
            case ast.UnaryOp(op=ast.USub(), operand=a):
                value, kind = self._value(a)
                negative = f"sub nsw i64 0, {value}" if kind == "i64" else f"fneg double {value}"
                return self._new(negative), kind
            case ast.UnaryOp(op=ast.Not(), operand=a):
                return self._new(f"xor i1 {self._truth(a)}, true"), "i1"
            case ast.Compare(left=a, ops=[op], comparators=[b]):
                (x, kind), (y, other) = self._value(a), self._value(b)
                if kind != other:
                    raise SyntaxError(f"{self.tree.name}: {ast.unparse(e)} compares {kind} and {other}")
                name = _COMPARED[type(op)][kind == "double"]
                return self._new(f"{'fcmp' if kind == 'double' else 'icmp'} {name} {kind} {x}, {y}"), "i1"
            case ast.BoolOp(op=op, values=values):
                return self._both(isinstance(op, ast.And), values)
            case ast.Call():
                return self._call(e)
            case _:
                raise SyntaxError(f"{self.tree.name}: cannot compile {ast.unparse(e)!r}")

    def _arithmetic(self, op: ast.operator, a: Value, b: Value) -> Value:
        (x, kind), (y, other) = a, b
        name = _ARITHMETIC.get(type(op), ("", ""))[kind == "double"]
        if kind != other or not name:
            raise SyntaxError(f"{self.tree.name}: {type(op).__name__} of {kind} and {other}")
        return self._new(f"{name} {_FLAGS + ' ' if kind == 'double' else ''}{kind} {x}, {y}"), kind

    def _both(self, every: bool, values: list[ast.expr]) -> Value:
        """Write `and` and `or`: what comes later is only looked at where it matters."""
        self.count += 1
        place, end = f"%b{self.count}", self._label()
        self.head.append(f"  {place} = alloca i1")
        for value in values:
            truth, further = self._truth(value), self._label()
            self.lines.append(f"  store i1 {truth}, ptr {place}")
            yes, no = (further, end) if every else (end, further)
            self.lines += [f"  br i1 {truth}, label %{yes}, label %{no}", f"{further}:"]
        self._start(end)
        return self._new(f"load i1, ptr {place}"), "i1"

    def _call(self, e: ast.Call) -> Value:
        name = e.func.id if isinstance(e.func, ast.Name) else ""
        values = [self._value(a) for a in e.args]
        if name == "tail":
            (array, kind), (k, _) = values
            return self._new(f"getelementptr {kind.removeprefix('ptr.')}, ptr {array}, i64 {k}"), kind
        if name == "call_loop":
            (loop, _), *rest = values
            address = self._new(f"load ptr, ptr {loop}")
            self.lines.append(f"  call void {address}({', '.join(f'ptr {x}' for x, _ in rest)}, ptr null)")
            return "", "void"
        if name == "int":
            return self._new(f"fptosi double {values[0][0]} to i64"), "i64"
        if name == "float":
            return self._new(f"sitofp i64 {values[0][0]} to double"), "double"
        if name in _INTRINSICS:
            passed = ", ".join(f"double {x}" for x, _ in values)
            return self._new(f"call nsz double @llvm.{_INTRINSICS[name][0]}.f64({passed})"), "double"
        if name not in self.known:
            raise SyntaxError(f"{self.tree.name}: {name or ast.unparse(e)} is not known")
        result, arguments = self.known[name]
        if [k for _, k in values] != [k for _, k in arguments]:
            raise SyntaxError(f"{self.tree.name}: {ast.unparse(e)}: kinds do not fit")
        passed = ", ".join(f"{_ll(kind)} {x}" for x, kind in expand_kinds(values, self.layouts))
        text = f"call {result} @{PREFIX}_{name}({passed})"
        if result == "void":
            self.lines.append(f"  {text}")
            return "", "void"
        return self._new(text), result


def _ll(kind: str) -> str:
    return "ptr" if is_pointer(kind) else kind


def _constant(value: int | float) -> Value:
    if isinstance(value, int):
        return str(value), "i64"
    return f"0x{np.float64(value).view(np.uint64):016X}", "double"
