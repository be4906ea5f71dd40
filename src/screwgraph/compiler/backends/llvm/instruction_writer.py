"""Instructions of a program as lines of LLVM assembly."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import partial

from screwgraph.compiler.backends.llvm.argument_pointers import ONE, ArgumentPointers
from screwgraph.compiler.backends.llvm.ir_text import Lanes
from screwgraph.compiler.backends.llvm.multiply_add import FUSED
from screwgraph.compiler.backends.llvm.operations import EXTREMES, LLVM, TOGETHER, Arithmetic, Line, emit_larger_size
from screwgraph.compiler.backends.llvm.sincos import sincos_type
from screwgraph.compiler.backends.llvm.vector_sines import sines_per_vector
from screwgraph.compiler.passes.outlining import LEAVES
from screwgraph.tape import Program

_FORMS = {**LLVM, **FUSED}
_ARITHMETIC = {name: form.instruction for name, form in LLVM.items() if isinstance(form, Arithmetic)}


class Writer:
    """One function's lines under construction; values of other functions are loaded where they are first used.

    `slots` are the places at `%memory` of values that other functions need, or made; `results` the places at `%out` of
    values that are stored there at once, `sums` the instructions that add angles. Outputs that are `in_turn` are stored
    as soon as all before them are. `store` gives the lines that store a value at a place of the results. Inputs are
    where `pointers` say.
    """

    def __init__(
        self,
        program: Program,
        lanes: Lanes,
        slots: Mapping[int, int],
        results: Mapping[int, Sequence[int]] | None = None,
        sums: AbstractSet[int] = frozenset(),
        in_turn: Sequence[int | float] = (),
        store: Callable[[str, int], list[str]] | None = None,
        pointers: ArgumentPointers = ONE,
    ) -> None:
        self.lines: list[str] = []
        self._program, self._lanes, self._slots, self._results = program, lanes, slots, results or {}
        self._store = store or partial(store_result, lanes)
        self._values: dict[int, str] = {}
        self._plain = {name: f" = {instruction} {lanes.real} " for name, instruction in _ARITHMETIC.items()}
        self._sums, self._wrapped = sums, dict[int, str]()
        self._sines, self._sizes = dict[tuple[str, int], str](), dict[int, bool]()
        self._asked, self._large = set[int](), dict[int, str]()
        self._pointers = pointers
        self._in_turn, self._stored, self._made = in_turn, 0, set[int]()

    def write_sines(self, places: Sequence[int]) -> None:
        """Write sines and cosines; of one sample, several together in vectors, the last of which need not be full."""
        if self._lanes.width == 1:
            self._together(self._angles(places))
        self.write(places)

    def far(self, places: Sequence[int]) -> list[str]:
        """Return the names of masks that tell where angles of these sines, or terms of angles, are too large."""
        if self._lanes.width == 1:
            return []
        for i in self._angles(places):
            self._is_large(i)
        masks, self._large = list(self._large.values()), {}
        return masks

    def write(self, places: Sequence[int]) -> None:
        """Write the instructions at these places."""
        for i in places:
            if self._program.instructions[i][0] not in LEAVES:
                self._values[i] = self._emit_value(i)
            value = self.value(i)
            if i in self._slots:
                self.lines += _store(self._lanes, value, f"%m{i}", self._slots[i])
            for place in self._results.get(i, ()):
                self.lines += self._store(value, place)
            self._made.add(i)
            self.store_in_turn()

    def store_in_turn(self) -> None:
        """Store the results whose turn has come."""
        while self._stored < len(self._in_turn):
            output = self._in_turn[self._stored]
            if isinstance(output, int) and output not in self._made:
                return
            value = self.value(output) if isinstance(output, int) else self._lanes.number(output)
            self.lines += self._store(value, self._stored)
            self._stored += 1

    def value(self, i: int) -> str:
        """Return the name of a value, loaded if this function did not make it."""
        if i not in self._values:
            operation, *operands = self._program.instructions[i]
            if operation == "constant":
                self._values[i] = self._lanes.number(operands[0])
            else:
                self._values[i] = f"%v{i}"
                lanes = self._lanes
                if operation == "input":
                    pointer, place = self._pointers.find(operands[0])
                    at = f"{lanes.entry}, ptr {pointer}, i64 {place}"
                else:
                    at = f"{lanes.real}, ptr %memory, i64 {self._slots[i]}"
                self.lines.append(f"  %p{i} = getelementptr {at}")
                self.lines.append(f"  %v{i} = load {lanes.real}, ptr %p{i}, align {lanes.bytes}")
        return self._values[i]

    def _angles(self, places: Sequence[int]) -> list[int]:
        return list(dict.fromkeys(self._program.instructions[i][1] for i in places))

    def _together(self, angles: Sequence[int]) -> None:
        """Compute sines and cosines of angles of one sample, a vector at a time."""
        lanes = sines_per_vector(self._lanes.bits)
        D, R, pair = lanes.real, lanes.scalar, sincos_type(lanes)
        for start in range(0, len(angles), lanes.width):
            vector, name, own = "poison", f"%s{angles[start]}", angles[start : start + lanes.width]
            for k, angle in enumerate([*own, *[own[-1]] * (lanes.width - len(own))]):
                self.lines.append(f"  {name}_{k} = insertelement {D} {vector}, {R} {self.value(angle)}, i32 {k}")
                vector = f"{name}_{k}"
            self.lines.append(f"  {name} = call {pair} @sines{lanes.tag}({D} {vector})")
            for which, operation in enumerate(TOGETHER):
                self.lines.append(f"  {name}_{operation} = extractvalue {pair} {name}, {which}")
                for k, angle in enumerate(own):
                    self._sines[operation, angle] = f"{name}_{operation}{k}"
                    self.lines.append(f"  {name}_{operation}{k} = extractelement {D} {name}_{operation}, i32 {k}")

    def _emit_value(self, i: int) -> str:
        name = f"%v{i}"
        operation, *operands = self._program.instructions[i]
        if operation in self._plain and i not in self._sums:  # most are so
            values = [self._values.get(o) or self.value(o) for o in operands]
            self.lines.append(f"  {name}{self._plain[operation]}{', '.join(values)}")
            return name
        D, tag = self._lanes.real, self._lanes.tag
        if operation in EXTREMES and self._is_constant(operands[1]) and not self._is_constant(operands[0]):
            operands.reverse()  # of the second one, NaN goes through the processor's own instruction
        if operation == "max" and self._lanes.width > 1 and self._is_size(i):
            self.lines += emit_larger_size(Line(name, self._lanes), *map(self.value, operands))
            return name
        if operation not in TOGETHER:
            values = [self._angle(o) if i in self._sums else self.value(o) for o in operands]
            self.lines += _FORMS[operation](Line(name, self._lanes), *values)
            return name
        angle, kind = operands[0], sincos_type(self._lanes)
        if (operation, angle) not in self._sines:
            self.lines.append(f"  %pair{i} = call {kind} @sincos{tag}({D} {self.value(angle)})")
            for which, function in enumerate(TOGETHER):
                self._sines[function, angle] = f"%{function}{i}"
                self.lines.append(f"  %{function}{i} = extractvalue {kind} %pair{i}, {which}")
        return self._sines[operation, angle]

    def _is_constant(self, i: int) -> bool:
        return self._program.instructions[i][0] == "constant"

    def _is_size(self, i: int) -> bool:
        """Whether a value has no sign: absolute values, the larger of such, constants."""
        left = [i]
        while left:  # chains of many are deeper than Python's calls
            operation, *operands = self._program.instructions[left[-1]]
            unknown = [o for o in operands if o not in self._sizes] if operation == "max" else []
            if unknown:
                left += unknown
                continue
            self._sizes[left.pop()] = (
                math.copysign(1.0, operands[0]) > 0.0
                if operation == "constant"
                else operation == "abs" or (operation == "max" and all(self._sizes[o] for o in operands))
            )
        return self._sizes[i]

    def _angle(self, i: int) -> str:
        """Return the name of a term of a sum of angles: of one sample, inputs less whole turns where they are large."""
        value = self.value(i)
        if self._program.instructions[i][0] != "input":
            return value
        if self._lanes.width > 1:
            self._is_large(i)
            return value
        if i not in self._wrapped:
            self._wrapped[i] = f"%w{i}"
            self.lines.append(
                f"  %w{i} = call {self._lanes.real} @wrapped{self._lanes.tag}({self._lanes.real} {value})"
            )
        return self._wrapped[i]

    def _is_large(self, i: int) -> None:
        """Ask, once, where an angle is too large."""
        if i not in self._asked:
            self._asked.add(i)
            self._large[i] = f"%far{i}"
            call = f"call {self._lanes.boolean} @wrapped{self._lanes.tag}({self._lanes.real} {self.value(i)})"
            self.lines.append(f"  %far{i} = {call}")


def store_result(lanes: Lanes, value: str, place: int) -> list[str]:
    """Return the lines that store a value at a place of the block's results."""
    return [
        f"  %o{place} = getelementptr {lanes.entry}, ptr %out, i64 {place}",
        f"  store {lanes.real} {value}, ptr %o{place}, {lanes.store_suffix}",
    ]


def _store(lanes: Lanes, value: str, pointer: str, place: int) -> list[str]:
    """Return the lines that store a value where other functions find it."""
    return [
        f"  {pointer} = getelementptr {lanes.real}, ptr %memory, i64 {place}",
        f"  store {lanes.real} {value}, ptr {pointer}, align {lanes.bytes}",
    ]
