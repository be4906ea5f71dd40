"""A finished tape: only the operations that the outputs need, ready for any back end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from screwgraph.summary import one_line
from screwgraph.tape.operations import OPERATIONS, symbol
from screwgraph.tape.scalar import Number, Scalar, apply
from screwgraph.tape.tape import Tape

LEAVES = ("constant", "input")
"""What stands in a program beside operations."""


@dataclass(frozen=True)
class Operations:
    """Counts of + - * / sqrt sin cos in straight-line code."""

    counts: Mapping[str, int]

    @property
    def total(self) -> int:
        """All of them together."""
        return sum(self.counts.values())

    def __getitem__(self, symbol: str) -> int:
        return self.counts.get(symbol, 0)

    def __str__(self) -> str:
        shown = dict.fromkeys(("+", "-", "*", "/", "sqrt", "sin", "cos", *self.counts))
        return "  ".join(f"{self[s]} {s}" for s in shown if self[s])


@dataclass(frozen=True)
class Program:
    """Straight-line code: value i of `instructions` is (operation, ids or constant), `outputs` are ids or constants."""

    __repr__ = one_line

    input_names: tuple[str, ...]
    instructions: Sequence[tuple[Any, ...]]
    outputs: tuple[int | float, ...]

    @property
    def operations(self) -> Operations:
        """Count the arithmetic operations; inputs, constants and outputs cost nothing."""
        counts = Counter(symbol(i[0]) for i in self.instructions if i[0] not in LEAVES)
        return Operations(dict(counts))

    @cached_property
    def guarded(self) -> tuple[int, ...]:
        """The values that are no numbers where they are small: pivots that may vanish."""
        return tuple(instruction[1] for instruction in self.instructions if instruction[0] == "guard")

    def evaluate(self, inputs: Sequence[Any]) -> list[Any]:
        """Interpret with NumPy values of any one shape, one for each input; the slow reference of every back end."""
        return self._run(inputs, lambda operation, *operands: OPERATIONS[operation].values(*operands))

    def on(self, inputs: Sequence[Number]) -> list[Number]:
        """Write the program once more, on the tape whose scalars are among the inputs: floats are folded."""
        return self._run(inputs, apply)

    def _run(self, inputs: Sequence[Any], apply: Callable[..., Any]) -> list[Any]:
        values: list[Any] = []
        for operation, *operands in self.instructions:
            if operation == "constant":
                values.append(operands[0])
            elif operation == "input":
                values.append(inputs[operands[0]])
            else:
                values.append(apply(operation, *[values[i] for i in operands]))
        return [values[o] if isinstance(o, int) else o for o in self.outputs]


def program(tape: Tape, outputs: Sequence[Number], inputs: Sequence[str] | None = None) -> Program:
    """Keep what the outputs need, in order, and turn reciprocals that are used once into divisions.

    `inputs` names the program's inputs in order, all of the tape's among them; by default, they are the tape's.
    """
    needed = _needed(tape, outputs)
    uses = Counter(i for id in needed for i in _operands(tape.nodes[id]))
    uses.update(o.id for o in outputs if isinstance(o, Scalar))
    fused = {id: _as_division(tape, tape.nodes[id], uses) for id in needed}
    named = {i for node in fused.values() for i in _operands(node)} | {o.id for o in outputs if isinstance(o, Scalar)}
    kept = [id for id in needed if id in named]
    number = {id: i for i, id in enumerate(kept)}
    instructions = tuple((n[0], *(number[i] for i in n[1:])) if _operands(n) else n for n in (fused[id] for id in kept))
    results = tuple(number[o.id] if isinstance(o, Scalar) else float(o) for o in outputs)
    if inputs is None:
        return Program(tuple(tape.input_names), instructions, results)
    place = {name: i for i, name in enumerate(inputs)}
    moved = [("input", place[tape.input_names[i[1]]]) if i[0] == "input" else i for i in instructions]
    return Program(tuple(inputs), tuple(moved), results)


def by_outputs(program: Program) -> Program:
    """Return the program with one output after the other: what leads to it comes just before, if nothing needed it yet.

    Values of a long program are so used near where they are made, and its pieces (`compiler/pieces.py`) leave fewer to
    each other: matrix products compile in half the time. Closed-form derivatives of dynamics do not gain.
    """
    code, order, done = program.instructions, list[int](), set[int]()
    for output in program.outputs:
        stack = [output] if isinstance(output, int) else []
        while stack:
            waiting = [o for o in _operands(code[stack[-1]]) if o not in done]
            if waiting:
                stack.append(waiting[0])
                continue
            last = stack.pop()
            if last not in done:
                done.add(last)
                order.append(last)
    place = {old: new for new, old in enumerate(order)}
    moved = tuple((i[0], *(place[o] for o in i[1:])) if _operands(i) else i for i in (code[old] for old in order))
    outputs = tuple(place[o] if isinstance(o, int) else o for o in program.outputs)
    return Program(program.input_names, moved, outputs)


def _needed(tape: Tape, outputs: Sequence[Number]) -> list[int]:
    seen: set[int] = set()
    stack = [o.id for o in outputs if isinstance(o, Scalar)]
    while stack:
        id = stack.pop()
        if id not in seen:
            seen.add(id)
            stack.extend(_operands(tape.nodes[id]))
    return sorted(seen)


def _operands(node: tuple[Any, ...]) -> tuple[int, ...]:
    return () if node[0] in LEAVES else node[1:]


def _as_division(tape: Tape, node: tuple[Any, ...], uses: Counter[int]) -> tuple[Any, ...]:
    if node[0] == "mul":
        for inverse, other in ((node[1], node[2]), (node[2], node[1])):
            if tape.nodes[inverse][0] == "inv" and uses[inverse] == 1:
                return ("div", other, tape.nodes[inverse][1])
    return node
