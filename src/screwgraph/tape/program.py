"""A finished tape: only the operations that the outputs need, ready for any back end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from math import prod
from typing import Any

from screwgraph.base.summary import one_line
from screwgraph.tape.dependencies import LEAVES, values_needed
from screwgraph.tape.operations import OPERATIONS, symbol
from screwgraph.tape.scalar import Number, Scalar, apply
from screwgraph.tape.tape import Tape


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

    @property
    def programs(self) -> tuple[Program, ...]:
        """All straight-line code: itself."""
        return (self,)

    @property
    def unrolled(self) -> Program:
        """The code without loops: itself."""
        return self

    @property
    def is_conditional(self) -> bool:
        """Whether numbers say what is done: never."""
        return False

    @property
    def goes_alone(self) -> bool:
        """Whether samples cannot go side by side: never."""
        return False

    @property
    def inputs_read(self) -> frozenset[str]:
        """The names of the inputs that it reads."""
        return frozenset(self.input_names[i[1]] for i in self.instructions if i[0] == "input")

    def to_text(self) -> str:
        """Return the code as text, an instruction a line, `v7 = mul v3 v5`; the outputs come last."""
        lines = [f"v{i} = {self._describe(*instruction)}" for i, instruction in enumerate(self.instructions)]
        return "\n".join(
            [*lines, "return " + ", ".join(f"v{o}" if isinstance(o, int) else f"{o!r}" for o in self.outputs)]
        )

    def _describe(self, operation: str, *operands: Any) -> str:
        if operation == "constant":
            return repr(operands[0])
        if operation == "input":
            return self.input_names[operands[0]]
        return " ".join([operation, *(f"v{i}" for i in operands)])

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
    nodes, results_of = tape.nodes, [o.id for o in outputs if isinstance(o, Scalar)]
    needed = values_needed(nodes, results_of)
    uses = dict.fromkeys(needed, 0)
    operands = (nodes[id][1:] for id in needed if nodes[id][0] not in LEAVES)
    for i in chain(results_of, chain.from_iterable(operands)):
        uses[i] += 1
    fused = {id: _as_division(tape, nodes[id], uses) for id in needed}
    named = set(results_of).union(*(node[1:] for node in fused.values() if node[0] not in LEAVES))
    number: dict[int, int] = {}
    instructions: list[tuple[Any, ...]] = []
    for id, node in fused.items():
        if id in named:
            number[id] = len(instructions)
            instructions.append(node if node[0] in LEAVES else (node[0], *[number[i] for i in node[1:]]))
    results = tuple(number[o.id] if isinstance(o, Scalar) else float(o) for o in outputs)
    if inputs is None:
        return Program(tuple(tape.input_names), tuple(instructions), results)
    place = {name: i for i, name in enumerate(inputs)}
    moved = [("input", place[tape.input_names[i[1]]]) if i[0] == "input" else i for i in instructions]
    return Program(tuple(inputs), tuple(moved), results)


def split_outputs(code: Program, shapes: Mapping[str, Sequence[int]]) -> dict[str, tuple[int | float, ...]]:
    """Return the outputs that are each of arrays one behind the other, by their shapes."""
    found, start = dict[str, tuple[int | float, ...]](), 0
    for name, shape in shapes.items():
        found[name] = tuple(code.outputs[start : start + prod(shape)])
        start += prod(shape)
    return found


def by_outputs(program: Program) -> Program:
    """Return the program with one output after the other: what leads to it comes just before, if nothing needed it yet.

    Values of a long program are so used near where they are made, and its pieces (`compiler/passes/outlining.py`)
    leave fewer to each other: matrix products compile in half the time. Closed-form derivatives of dynamics do not
    gain.
    """
    code, place, moved = program.instructions, dict[int, int](), list[tuple[Any, ...]]()
    for output in program.outputs:
        stack = [output] if isinstance(output, int) else []
        while stack:
            instruction = code[stack[-1]]
            operands = () if instruction[0] in LEAVES else instruction[1:]
            for o in operands:
                if o not in place:
                    stack.append(o)
                    break
            else:
                last = stack.pop()
                if last not in place:
                    place[last] = len(moved)
                    moved.append((instruction[0], *[place[o] for o in operands]) if operands else instruction)
    outputs = tuple(place[o] if isinstance(o, int) else o for o in program.outputs)
    return Program(program.input_names, tuple(moved), outputs)


def _as_division(tape: Tape, node: tuple[Any, ...], uses: Mapping[int, int]) -> tuple[Any, ...]:
    if node[0] == "mul":
        for inverse, other in ((node[1], node[2]), (node[2], node[1])):
            if tape.nodes[inverse][0] == "inv" and uses[inverse] == 1:
                return ("div", other, tape.nodes[inverse][1])
    return node


def without_unused_inputs(program: Program) -> Program:
    """Return a program without the inputs that it does not read."""
    used = sorted({i[1] for i in program.instructions if i[0] == "input"})
    place = {old: new for new, old in enumerate(used)}
    moved = tuple(("input", place[i[1]]) if i[0] == "input" else i for i in program.instructions)
    return Program(tuple(program.input_names[i] for i in used), moved, program.outputs)
