"""A program in two: what some of its inputs alone determine, which is done once a change, and the rest."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from screwgraph.base.summary import one_line
from screwgraph.tape import LEAVES, Code, Program, Routine, values_needed

CARRIED = "carried"


@dataclass(frozen=True, eq=False)
class Split:
    """`before` maps some inputs to numbers that `after` takes in their place, last."""

    __repr__ = one_line

    before: Program
    after: Code


def split_code(code: Code, early: Collection[str]) -> Split:
    """Split code: see `split_program`; where numbers say what is done, `after` takes the inputs themselves."""
    if not isinstance(code, Routine) or not code.is_conditional:
        return split_program(code.unrolled, early)
    named = [name for name in code.input_names if name in early]
    copied = Program(tuple(named), tuple(("input", i) for i in range(len(named))), tuple(range(len(named))))
    place = dict(zip(code.input_names, code.inputs, strict=True))
    rest = [name for name in code.input_names if name not in early]
    names = (*rest, *(f"{CARRIED}[{k}]" for k in range(len(named))))
    return Split(copied, replace(code, input_names=names, inputs=tuple(place[name] for name in (*rest, *named))))


def split_program(program: Program, early: Collection[str]) -> Split:
    """Split a program: `before` is what inputs named in `early` determine, `after` takes the others and its results.

    No operation is done twice; what depends on early inputs only is never done after.
    """
    code, names = program.instructions, program.input_names
    is_early = _early(program, early)
    used = {o for i, ins in enumerate(code) if not is_early[i] and ins[0] not in LEAVES for o in ins[1:]}
    used |= {o for o in program.outputs if isinstance(o, int)}
    carried = [i for i in sorted(used) if is_early[i]]
    results = carried or [0.0]  # where nothing depends on them, a number that nobody reads
    first = tuple(name for name in names if name in early)
    before = slice_program(program, first, {}, results)
    rest = tuple(name for name in names if name not in early)
    inputs = (*rest, *(f"{CARRIED}[{k}]" for k in range(len(results))))
    places = {i: len(rest) + k for k, i in enumerate(carried)}
    return Split(before, slice_program(program, inputs, places, program.outputs))


def _early(program: Program, early: Collection[str]) -> list[bool]:
    """Tell of each value whether early inputs, at least one, and constants determine it."""
    found: list[bool] = []
    fixed: list[bool] = []
    for operation, *operands in program.instructions:
        if operation == "constant":
            found.append(False)
            fixed.append(True)
        elif operation == "input":
            found.append(program.input_names[operands[0]] in early)
            fixed.append(found[-1])
        else:
            fixed.append(all(fixed[o] for o in operands))
            found.append(fixed[-1] and any(found[o] for o in operands))
    return found


def slice_program(
    program: Program, inputs: tuple[str, ...], places: Mapping[int, int], outputs: Sequence[int | float]
) -> Program:
    """Return what outputs need of a program: values with `places` are inputs there."""
    code = program.instructions
    place = {name: i for i, name in enumerate(inputs)}
    new: dict[int, int] = {}
    made = []
    for i in values_needed(code, (o for o in outputs if isinstance(o, int)), places):
        operation, *operands = code[i]
        new[i] = len(made)
        if i in places:
            made.append(("input", places[i]))
        elif operation == "input":
            made.append(("input", place[program.input_names[operands[0]]]))
        else:
            made.append(code[i] if operation == "constant" else (operation, *(new[o] for o in operands)))
    return Program(inputs, tuple(made), tuple(new[o] if isinstance(o, int) else o for o in outputs))
