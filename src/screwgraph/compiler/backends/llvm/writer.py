"""Instructions of a program as lines of LLVM assembly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from screwgraph.compiler.backends.llvm.operations import LLVM, TOGETHER, Line
from screwgraph.compiler.backends.llvm.sincos import together
from screwgraph.compiler.backends.llvm.sines import several
from screwgraph.compiler.backends.llvm.text import Lanes
from screwgraph.compiler.pieces import LEAVES
from screwgraph.tape import Program


class Writer:
    """One function's lines under construction; values of other functions are loaded where they are first used.

    `slots` are the places at `%memory` of values that other functions need, or made; `results` the places at `%out` of
    values that are stored there at once, `sums` the instructions that add angles.
    """

    def __init__(
        self,
        program: Program,
        lanes: Lanes,
        slots: Mapping[int, int],
        results: Mapping[int, Sequence[int]] | None = None,
        sums: AbstractSet[int] = frozenset(),
    ) -> None:
        self.lines: list[str] = []
        self._program, self._lanes, self._slots, self._results = program, lanes, slots, results or {}
        self._values: dict[int, str] = {}
        self._sums, self._wrapped = sums, dict[int, str]()
        self._waiting, self._sines = list[int](), dict[tuple[str, int], str]()

    def write(self, places: Sequence[int]) -> list[str]:
        """Write the instructions at these places; return the names of masks that tell which angles are too large."""
        pairs: dict[int, str] = {}
        known = set(self._wrapped)
        if self._lanes.width == 1:
            places = self._angles_first(places)
        for i in places:
            if self._program.instructions[i][0] not in LEAVES:
                self._values[i] = self._computed(i, pairs)
                if i in self._slots:
                    self.lines += store(self._lanes, self._values[i], f"%m{i}", "%memory", self._slots[i])
            value = self.value(i)
            for place in self._results.get(i, ()):
                self.lines += store(self._lanes, value, f"%o{place}", "%out", place)
        if self._lanes.width == 1:
            return []
        kind = together(self._lanes)
        self.lines += [f"  %far{p[5:]} = extractvalue {kind} {p}, 2" for p in pairs.values()]
        large = [name for i, name in self._wrapped.items() if i not in known]
        return [*(f"%far{p[5:]}" for p in pairs.values()), *large]

    def value(self, i: int) -> str:
        """Return the name of a value, loaded if this function did not make it."""
        if i not in self._values:
            operation, *operands = self._program.instructions[i]
            if operation == "constant":
                self._values[i] = self._lanes.number(operands[0])
            else:
                self._values[i] = f"%v{i}"
                memory, place = ("%in", operands[0]) if operation == "input" else ("%memory", self._slots[i])
                D = self._lanes.real
                self.lines.append(f"  %p{i} = getelementptr {D}, ptr {memory}, i64 {place}")
                apart = " volatile" if i in self._waiting else ""  # one load of all waits until all are stored
                self.lines.append(f"  %v{i} = load{apart} {D}, ptr %p{i}, align {self._lanes.bytes}")
        return self._values[i]

    def _angles_first(self, places: Sequence[int]) -> Sequence[int]:
        """Let whole vectors of angles of one sample wait for one another; return the places, sines last."""
        code, width = self._program.instructions, several(self._lanes.bits).width
        angles = list(dict.fromkeys(code[i][1] for i in places if code[i][0] in TOGETHER))
        self._waiting = angles[: len(angles) // width * width]
        return sorted(places, key=lambda i: code[i][0] in TOGETHER) if self._waiting else places

    def _several(self) -> None:
        """Compute sines and cosines of the angles that wait, a vector at a time."""
        lanes = several(self._lanes.bits)
        D, R, pair = lanes.real, lanes.scalar, f"{{ {lanes.real}, {lanes.real} }}"
        for start in range(0, len(self._waiting), lanes.width):
            angles, vector = self._waiting[start : start + lanes.width], "poison"
            name = f"%s{angles[0]}"
            for k, angle in enumerate(angles):
                self.lines.append(f"  {name}_{k} = insertelement {D} {vector}, {R} {self.value(angle)}, i32 {k}")
                vector = f"{name}_{k}"
            self.lines.append(f"  {name} = call {pair} @sines{lanes.tag}({D} {vector})")
            for which, operation in enumerate(TOGETHER):
                self.lines.append(f"  {name}_{operation} = extractvalue {pair} {name}, {which}")
                for k, angle in enumerate(angles):
                    self._sines[operation, angle] = f"{name}_{operation}{k}"
                    self.lines.append(f"  {name}_{operation}{k} = extractelement {D} {name}_{operation}, i32 {k}")
        self._waiting = []

    def _computed(self, i: int, pairs: dict[int, str]) -> str:
        D, name, tag = self._lanes.real, f"%v{i}", self._lanes.tag
        operation, *operands = self._program.instructions[i]
        if self._waiting and operation in TOGETHER:
            self._several()
        if (operation, operands[0]) in self._sines:
            return self._sines[operation, operands[0]]
        values = [self._angle(o) if i in self._sums else self.value(o) for o in operands]
        if operation not in TOGETHER:
            self.lines += LLVM[operation](Line(name, self._lanes), *values)
            return name
        angle, kind = operands[0], together(self._lanes)
        if angle not in pairs:
            pairs[angle] = f"%pair{i}"
            self.lines.append(f"  %pair{i} = call {kind} @sincos{tag}({D} {values[0]})")
        self.lines.append(f"  {name} = extractvalue {kind} {pairs[angle]}, {TOGETHER.index(operation)}")
        return name

    def _angle(self, i: int) -> str:
        """Return the name of a term of a sum of angles: inputs less whole turns where they are large."""
        value, one = self.value(i), self._lanes.width == 1
        if self._program.instructions[i][0] != "input":
            return value
        if i not in self._wrapped:
            self._wrapped[i], kind = f"%w{i}", self._lanes.real if one else self._lanes.boolean
            self.lines.append(f"  %w{i} = call {kind} @wrapped{self._lanes.tag}({self._lanes.real} {value})")
        return self._wrapped[i] if one else value


def store(lanes: Lanes, value: str, pointer: str, memory: str, place: int) -> list[str]:
    """Return the lines that store a value at a place."""
    return [
        f"  {pointer} = getelementptr {lanes.real}, ptr {memory}, i64 {place}",
        f"  store {lanes.real} {value}, ptr {pointer}, align {lanes.bytes}",
    ]
