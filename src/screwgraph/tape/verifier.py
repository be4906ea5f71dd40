"""What is wrong with code, whatever it computes: the check of every pass."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from screwgraph.tape.dependencies import LEAVES
from screwgraph.tape.operations import OPERATIONS
from screwgraph.tape.parts import Block, Loop, Part, StageLoop, list_parts
from screwgraph.tape.program import Program
from screwgraph.tape.routine import Code


def list_faults(code: Code) -> list[str]:
    """Return what is malformed in code, none where it is sound.

    Of straight-line code: unknown operations, too many or few operands, operands that are computed later. Of code with
    loops: places beyond its memory, and numbers that are read where nobody may have written them.
    """
    if isinstance(code, Program):
        return _program_faults(code)
    faults = ["two inputs stand at one place"] if len(set(code.inputs)) < len(code.inputs) else []
    faults += [
        f"an input stands at {place} of {code.size} places" for place in code.inputs if not 0 <= place < code.size
    ]
    written = set(code.inputs)
    faults += _part_faults(code.parts, written, code.size)
    return faults + _place_faults("the end", code.outputs, written, code.size)


def _program_faults(program: Program) -> list[str]:
    faults = []
    for i, (operation, *operands) in enumerate(program.instructions):
        if operation == "input":
            faults += [] if 0 <= operands[0] < len(program.input_names) else [f"v{i}: there is no input {operands[0]}"]
        elif operation in LEAVES:
            continue
        elif operation not in OPERATIONS:
            faults.append(f"v{i}: there is no operation {operation}")
        elif len(operands) != OPERATIONS[operation].arity:
            faults.append(f"v{i}: {operation} of {len(operands)} operands")
        else:
            faults += [f"v{i}: v{o} is not there yet" for o in operands if not 0 <= o < i]
    known = range(len(program.instructions))
    return faults + [f"output v{o} is never computed" for o in program.outputs if isinstance(o, int) and o not in known]


def _part_faults(
    parts: Iterable[Part], written: set[int], size: int, find: Callable[[int], int] = lambda place: place
) -> list[str]:
    """Return the faults of parts; adds to the places that are `written` for certain; `find` says where a place is."""
    faults = list[str]()
    for k, part in enumerate(parts):
        who = f"part {k} ({type(part).__name__})"
        if isinstance(part, StageLoop):
            faults += _stage_faults(who, part, written, size, find)
            continue
        if isinstance(part, Loop):  # it asks behind its parts, others before them, which may not be done
            faults += _part_faults(part.within, written, size, find)
        faults += _place_faults(who, map(find, part.list_reads()), written, size)
        if not isinstance(part, Loop):
            faults += _part_faults(part.within, set(written), size, find)
        if isinstance(part, Block):
            given, found = len(part.program.input_names), len(part.program.outputs)
            faults += [f"{who}: {fault}" for fault in _program_faults(part.program)]
            if (given, found) != (len(part.reads), len(part.writes)):
                faults.append(f"{who}: {len(part.reads)} and {len(part.writes)} places")
        places = {find(place) for place in part.list_writes()}
        faults += [f"{who}: writes to {place} of {size} places" for place in places if not 0 <= place < size]
        written |= places
    return faults


def _stage_faults(who: str, loop: StageLoop, written: set[int], size: int, find: Callable[[int], int]) -> list[str]:
    """Return the faults of the passages of a loop over stages: at each, two places must not meet."""
    own = {p for part in list_parts(loop.parts) for p in (*part.list_reads(), *part.list_writes())}
    for k in range(loop.count):

        def find_moved(place: int, k: int = k) -> int:
            return find(place) + k * loop.stride(place)

        faults = _part_faults(loop.parts, written, size, find_moved)
        if len({*map(find_moved, own)}) < len(own):
            faults.append("two places are one")
        if faults:
            return [f"{who}, passage {k}: {fault}" for fault in faults]
    return []


def _place_faults(who: str, places: Iterable[int], written: set[int], size: int) -> list[str]:
    return [
        f"{who}: reads {place}, which " + ("nobody wrote" if 0 <= place < size else "is beyond the memory")
        for place in dict.fromkeys(places)
        if place not in written
    ]
