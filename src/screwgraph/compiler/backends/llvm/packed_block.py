"""The code of a program on one sample, operations of equal limbs side by side in vectors."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import chain

from screwgraph.compiler.backends.llvm.argument_pointers import ONE, ArgumentPointers
from screwgraph.compiler.backends.llvm.instruction_writer import Writer, store_result
from screwgraph.compiler.backends.llvm.ir_text import Lanes
from screwgraph.compiler.backends.llvm.machine_code import vector_width
from screwgraph.compiler.backends.llvm.multiply_add import fuse_multiply_add
from screwgraph.compiler.backends.llvm.operations import LLVM, Line
from screwgraph.compiler.backends.llvm.sample_block import ALIGNED
from screwgraph.compiler.backends.llvm.sine_scheduling import SINES, schedule_sines
from screwgraph.compiler.passes.angle_reduction import find_angle_sums
from screwgraph.compiler.passes.slp import Pack, PackedProgram, Unit, addend_signs, multiply_signs, pack_limbs
from screwgraph.tape import LEAVES, Program

Value = tuple[str, int]
"""A name, and with which sign it is the value."""
Vector = tuple[str, tuple[int, ...]]
"""The same of a vector, a sign for each lane."""
LONGEST = 12_000
"""Longer programs are cut in pieces, and left alone."""


@dataclass(frozen=True)
class PackedBlock:
    """The text of a block, the kinds of vectors that it uses, and the pointers to arguments that it takes."""

    text: str
    vectors: Collection[Lanes]
    pointers: ArgumentPointers


def emit_limb_block(
    program: Program, lanes: Lanes, name: str = "block", pointers: ArgumentPointers = ONE
) -> PackedBlock | None:
    """Return `@<name>(in, out)` as `block` does for one sample; None where packs gain little."""
    if len(program.instructions) > LONGEST:
        return None
    program = fuse_multiply_add(program)
    *angles, _ = schedule_sines(program)
    given = [i for i in chain.from_iterable(angles) if program.instructions[i][0] not in LEAVES]
    found = pack_limbs(program, frozenset(given), vector_width() * 64 // lanes.bits)
    if found is None:
        return None
    head = Writer(program, lanes, {}, sums=find_angle_sums(program), pointers=pointers)
    head.lines.append(f"define internal void @{name}{lanes.tag}({pointers.parameters}, ptr noalias %out){ALIGNED} {{")
    for stage in angles:
        head.write([i for i in stage if program.instructions[i][0] not in SINES])
        head.write_sines([i for i in stage if program.instructions[i][0] in SINES])
    code = _Code(program, lanes, found, head)
    for unit in found.units:
        code.write(unit)
    code.store()
    vectors = {Lanes(len(pack), lanes.bits) for pack in found.operands}
    text = "\n".join([*head.lines, "  ret void", "}"])
    return PackedBlock(text, sorted(vectors, key=lambda kind: kind.width), pointers)


@dataclass
class _Code:
    """Lines under construction, behind those of the head."""

    program: Program
    lanes: Lanes
    form: PackedProgram
    head: Writer
    single: dict[int, Value] = field(default_factory=dict)
    vectors: dict[Pack, Vector] = field(default_factory=dict)
    names: int = 0

    def __post_init__(self) -> None:
        self.normal = self.form.normal

    def write(self, unit: Unit) -> None:
        """Write a value, or a pack."""
        if isinstance(unit, int):
            self.single[unit] = self._emit_value(unit)
        else:
            self.vectors[unit] = self._pack(unit)

    def store(self) -> None:
        """Store the outputs."""
        for place, output in enumerate(self.normal.outputs):
            if isinstance(output, tuple):
                value, sign = output
                text = self._emit_signed(self._value(value), sign)
            else:
                text = self.lanes.number(output)
            self.head.lines += store_result(self.lanes, text, place)

    def _name(self) -> str:
        self.names += 1
        return f"%k{self.names}"

    def _line(self, text: str) -> str:
        name = self._name()
        self.head.lines.append(f"  {name} = {text}")
        return name

    def _value(self, i: int) -> Value:
        """Return a value, taken out of its pack if that holds it."""
        if i in self.single:
            return self.single[i]
        if i in self.form.homes and self.form.homes[i][0] in self.vectors:
            pack, lane = self.form.homes[i]
            vector, signs = self.vectors[pack]
            kind = self._wide(pack).real
            self.single[i] = self._line(f"extractelement {kind} {vector}, i32 {lane}"), signs[lane]
            return self.single[i]
        return self.head.value(i), 1

    def _emit_signed(self, value: Value, sign: int) -> str:
        name, own = value
        return name if own == sign else self._line(f"fneg {self.lanes.real} {name}")

    def _emit_value(self, i: int) -> Value:
        kind, terms, D = self.normal.kinds[i], self.normal.operands[i], self.lanes.real
        if kind == "add":
            return self._sum(D, *((*self._value(v), s) for v, s in terms))
        if kind == "fma":
            (a, p), (b, q), (c, r) = (self._value(v) for v, _ in terms)
            return self._fma(self.lanes, (a, b, p * q), (c, r * terms[2][1]))
        if kind in ("mul", "div"):
            (a, r), (b, s) = (self._value(v) for v, _ in terms)
            return self._line(f"f{kind} {D} {a}, {b}"), r * s
        if kind == "inv":
            a, r = self._value(terms[0][0])
            return self._line(f"fdiv {D} {self.lanes.number(1.0)}, {a}"), r
        name = self._name()
        self.head.lines += LLVM[kind](Line(name, self.lanes), *(self._emit_signed(self._value(v), s) for v, s in terms))
        return name, 1

    def _sum(self, kind: str, first: tuple[str, int, int], second: tuple[str, int, int]) -> Value:
        """Add two values with the signs that they have, and that they are to have."""
        (a, p), (b, q) = ((name, own * sign) for name, own, sign in (first, second))
        if p == q:
            return self._line(f"fadd {kind} {a}, {b}"), p
        return self._line(f"fsub {kind} {a}, {b}" if p > 0 else f"fsub {kind} {b}, {a}"), 1

    def _fma(self, lanes: Lanes, product: tuple[str, str, int], other: Value) -> Value:
        D, (a, b, p), (c, q) = lanes.real, product, other
        sign = -1 if p < 0 and q < 0 else 1
        a = a if p * sign > 0 else self._line(f"fneg {D} {a}")
        c = c if q * sign > 0 else self._line(f"fneg {D} {c}")
        return self._line(f"call {D} {lanes.intrinsic('fmuladd')}({D} {a}, {D} {b}, {D} {c})"), sign

    def _wide(self, pack: Pack) -> Lanes:
        return Lanes(len(pack), self.lanes.bits)

    def _pack(self, pack: Pack) -> Vector:
        wide, kind = self._wide(pack), self.normal.kinds[pack[0]]
        signs, terms = self.form.signs[pack], self.form.operands[pack]
        wanted = {k: multiply_signs(signs, inner) for k, inner in addend_signs(self.normal, pack, terms).items()}
        if kind == "add":
            (a, p), (b, q) = (self._apply_signs(term, wanted[k]) for k, term in enumerate(terms))
            name, sign = self._sum(wide.real, (a, p, 1), (b, q, 1))
            return name, tuple(sign * s for s in signs)
        (a, p), (b, q) = self._factors(terms[:2], signs) if kind != "inv" else self._inverse(terms[0])
        if kind == "fma":
            a, both = self._turn_signs(wide, a, multiply_signs(p, q, signs))
            name, sign = self._fma(wide, (a, b, both), self._apply_signs(terms[2], wanted[2]))
            return name, tuple(sign * s for s in signs)
        return self._line(f"f{'div' if kind == 'inv' else kind} {wide.real} {a}, {b}"), multiply_signs(p, q)

    def _factors(self, terms: Sequence[Pack], signs: tuple[int, ...]) -> list[Vector]:
        """Return two factors; constants have the signs that the product is to have."""
        found = [None if self._constant(term) else self._vector(term) for term in terms]
        others = [multiply_signs(signs, each[1]) for each in found if each is not None]
        wanted = others[0] if others else signs
        return [each or self._constants(term, wanted) for each, term in zip(found, terms, strict=True)]

    def _inverse(self, term: Pack) -> list[Vector]:
        found = self._vector(term)
        return [(self._wide(term).number(1.0), (1,) * len(term)), found]

    def _constant(self, vector: Pack) -> bool:
        return all(self.normal.kinds[i] == "constant" for i in vector)

    def _constants(self, vector: Pack, signs: tuple[int, ...]) -> Vector:
        each = zip(vector, signs, strict=True)
        numbers = (self.lanes.number(self.program.instructions[i][1] * sign) for i, sign in each)
        return f"<{', '.join(f'{self.lanes.scalar} {number}' for number in numbers)}>", signs

    def _apply_signs(self, term: Pack, signs: tuple[int, ...]) -> Value:
        """Return a vector with these signs, or with the opposite ones."""
        name, own = self._constants(term, signs) if self._constant(term) else self._vector(term)
        return self._turn_signs(self._wide(term), name, multiply_signs(own, signs))

    def _turn_signs(self, wide: Lanes, name: str, signs: tuple[int, ...]) -> Value:
        """Turn signs of lanes, unless all are equal: then say which one it is."""
        if len(set(signs)) == 1:
            return name, signs[0]
        N, least = wide.integer, -(2 ** (wide.bits - 1))
        mask = ", ".join(f"i{wide.bits} {least if sign < 0 else 0}" for sign in signs)
        bits = self._line(f"bitcast {wide.real} {name} to {N}")
        turned = self._line(f"xor {N} {bits}, <{mask}>")
        return self._line(f"bitcast {N} {turned} to {wide.real}"), 1

    def _vector(self, vector: Pack) -> Vector:
        """Return a pack, or a vector made of single values, with signs of its own."""
        if vector in self.vectors:
            return self.vectors[vector]
        wide, single = self._wide(vector), [self._value(i) for i in vector]
        name, signs = "poison", tuple(sign for _, sign in single)
        for lane, (value, _) in enumerate(single):
            name = self._line(f"insertelement {wide.real} {name}, {wide.scalar} {value}, i32 {lane}")
        best = self.form.signs[vector]
        name, sign = self._turn_signs(wide, name, multiply_signs(signs, best))
        self.vectors[vector] = (
            name,
            signs if len(set(multiply_signs(signs, best))) == 1 else tuple(sign * s for s in best),
        )
        return self.vectors[vector]
