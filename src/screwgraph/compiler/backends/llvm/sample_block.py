"""The straight-line code of a program on several samples at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from screwgraph.compiler.backends.llvm.allocation import emit_allocation
from screwgraph.compiler.backends.llvm.argument_pointers import ONE, ArgumentPointers, format_pointers
from screwgraph.compiler.backends.llvm.instruction_writer import Writer, store_result
from screwgraph.compiler.backends.llvm.ir_text import Lanes
from screwgraph.compiler.backends.llvm.multiply_add import fuse_multiply_add
from screwgraph.compiler.backends.llvm.operations import TOGETHER
from screwgraph.compiler.backends.llvm.rerolled_loop import RerolledLoop
from screwgraph.compiler.backends.llvm.sine_scheduling import schedule_sines
from screwgraph.compiler.passes.angle_reduction import find_angle_sums
from screwgraph.compiler.passes.loop_rerolling import Repeat
from screwgraph.compiler.passes.outlining import WHOLE, Outlines, find_uneven_values, outline_program
from screwgraph.tape import Program, by_outputs

IN_TURN = 5_000
"""Instructions up to which results of blocks wait for their turn: it gains up to a half, and loses 4 to 7 % beyond."""
ALIGNED = " alignstack(64) align 64"
"""Attributes that line up code, and vectors which wait on the stack: else, half of them lie on two cache lines.

LLVM learns only after it has given up the frame pointer that there are such vectors. Code of one state took up to a
fifth longer where what stood before it ended elsewhere.
"""

RARE = " noinline cold optnone"
"""Attributes of code that hardly ever runs: LLVM makes it quickly."""


@dataclass(frozen=True)
class BlockFunction:
    """The function that a block of samples is written as.

    Args:
        name: of it; that of the block for one sample, where vectors of sines do not reach an angle, is `one`, by
            default the same.
        places: which output each one of the block for one sample is; by default the same.
        targets: places of results at `out`, others there are left alone; by default one behind the other.
        inlined: its caller takes its lines in.
        apart: its caller does not.
        rare: it hardly ever runs, and is not optimised.
    """

    name: str = "block"
    one: str = ""
    places: Sequence[int] | None = None
    targets: Sequence[int] = ()
    inlined: bool = False
    apart: bool = False
    rare: bool = False

    @property
    def attributes(self) -> str:
        """Its attributes in assembly."""
        if self.rare:
            return f"{RARE}{ALIGNED}"
        own = " alwaysinline" if self.inlined else ALIGNED
        return f" noinline{own}" if self.apart else own


BLOCK = BlockFunction()
"""The only block of a program."""


def emit_block(
    program: Program,
    lanes: Lanes,
    function: BlockFunction = BLOCK,
    whole: int = WHOLE,
    pointers: ArgumentPointers = ONE,
) -> str:
    """Return `@<name>(in, out)`: numbers i of all samples stand together at `in + i * lanes.apart`, so at `out`.

    Vectors branch once before each stage of sines, to take the samples one by one where an angle is too large. What
    follows the sines in programs beyond `whole` instructions are functions in a row, which leave values to each other
    in memory. Results are stored where they are computed: kept to the end, they would wait in memory anyway. Those of
    blocks of samples, which are arrays of others, are stored one behind the other in short programs: so the processor
    fetches lines ahead. There are several `pointers` to the arguments of one sample only, of programs in one piece.
    """
    name, targets = function.name, function.targets
    program = fuse_multiply_add(program)
    if function.apart:  # steps of an A1 with contacts on maps, each with its own masses: 4 % faster
        program = by_outputs(program)
    *angles, rest = schedule_sines(program)
    cut = outline_program(program, [i for stage in angles for i in stage], whole, loops=True)
    is_short = len(program.instructions) <= IN_TURN and cut.whole and not targets
    in_turn = program.outputs if lanes.samples and is_short else ()
    stand = targets or range(len(program.outputs))
    results = {} if in_turn else _results(program, stand)
    single = pointers if lanes.width == 1 else ONE
    head = Writer(program, lanes, cut.slots, results, find_angle_sums(program), in_turn, pointers=single)
    takes = f"{single.parameters}, ptr noalias %out"
    head.lines.append(f"define internal void @{name}{lanes.tag}({takes}){function.attributes} {{")
    take, give = (
        ([], []) if cut.whole else emit_allocation("memory", cut.size or 1, lanes.real, lanes.width * lanes.bytes)
    )
    head.lines += take
    for number, stage in enumerate(angles):
        sines = [i for i in stage if program.instructions[i][0] in TOGETHER]
        head.write([i for i in stage if program.instructions[i][0] not in TOGETHER])
        far = head.far(sines)
        if far:
            head.lines += _any(far, number, lanes)
            head.lines += [f"  br i1 %far_{number}, label %each, label %near_{number}, !prof !0", f"near_{number}:"]
        head.write_sines(sines)
    before = []
    if cut.whole:
        head.write(rest)
        head.store_in_turn()  # constants, where nothing is computed
    else:
        before = _parts(program, lanes, cut, name, results, RARE if function.rare else " noinline")
        calls = (f"@{name}_piece{n}_{lanes.tag}(ptr %in, ptr %out, ptr %memory)" for n in range(len(cut.parts)))
        head.lines += [f"  call void {call}" for call in calls]
    for i in (i for part in cut.parts if isinstance(part, Repeat) for i in find_uneven_values(program, part)):
        for place in results[i]:
            head.lines += store_result(lanes, head.value(i), place)
    for place, output in zip(stand, program.outputs, strict=True):
        if not isinstance(output, int) and not in_turn:
            head.lines += store_result(lanes, lanes.number(output), place)
    if lanes.width == 1 or not angles:
        return "\n".join([*before, *head.lines, *give, "  ret void", "}"])
    far = ["each:", *give, f"  call void @{name}_each{lanes.tag}(ptr %in, ptr %out)", "  ret void", "}"]
    last = [*give, "  ret void", *far]
    places = function.places or targets or None
    return "\n".join(
        [
            emit_per_sample_block(program, lanes, name, function.one or name, places, pointers),
            *before,
            *head.lines,
            *last,
        ]
    )


def fits_one_function(program: Program, whole: int) -> bool:
    """Return whether a program of up to `whole` instructions is one function, which may take several pointers."""
    return len(program.instructions) <= whole and outline_program(program, (), whole, loops=True).whole


def _results(program: Program, stand: Sequence[int]) -> dict[int, list[int]]:
    """Return at which places each value is a result; `stand` are those of all outputs."""
    results: dict[int, list[int]] = {}
    for place, output in zip(stand, program.outputs, strict=True):
        if isinstance(output, int):
            results.setdefault(output, []).append(place)
    return results


def _parts(
    program: Program, lanes: Lanes, cut: Outlines, name: str, results: Mapping[int, Sequence[int]], kind: str
) -> list[str]:
    """Return one function for each piece, which also stores the results that it computes."""
    functions = []
    for n, part in enumerate(cut.parts):
        if isinstance(part, Repeat):
            loop = RerolledLoop(f"{name}_piece{n}_{lanes.tag}", program, lanes, cut.slots, part)
            functions.append(loop.text(results, ALIGNED))
            continue
        piece = Writer(program, lanes, cut.slots, results)
        piece.write(part)
        arguments = "ptr noalias %in, ptr noalias %out, ptr noalias %memory"
        header = f"define internal void @{name}_piece{n}_{lanes.tag}({arguments}){kind}{ALIGNED} {{"
        functions.append("\n".join([header, *piece.lines, "  ret void", "}"]))
    return functions


def _any(masks: Sequence[str], number: int, lanes: Lanes) -> list[str]:
    """Whether an angle of any sample is too large."""
    B, whole = lanes.boolean, masks[0]
    lines = []
    for i, mask in enumerate(masks[1:]):
        lines.append(f"  %any_{number}_{i} = or {B} {whole}, {mask}")
        whole = f"%any_{number}_{i}"
    return [*lines, f"  %far_{number} = call i1 @llvm.vector.reduce.or.v{lanes.width}i1({B} {whole})"]


# The samples of a block one by one.


def emit_per_sample_block(
    program: Program,
    lanes: Lanes,
    name: str,
    one: str,
    places: Sequence[int] | None = None,
    pointers: ArgumentPointers = ONE,
) -> str:
    """Return `@<name>_each(in, out)`: the samples of the block `@<name>` one by one, by the block `@<one>`.

    This is for angles that vectors of sines do not reach. `places` says which output each one of the block for one
    sample is, by default the same; `pointers` are what that one takes.
    """
    R, width, single = lanes.scalar, lanes.width, Lanes(1, lanes.bits)
    places = range(len(program.outputs)) if places is None else places
    sizes = {"in": max(len(program.input_names), 1), "out": max(len(places), 1)}
    allocations = [emit_allocation(f"one_{name}", size, R, lanes.bytes) for name, size in sizes.items()]
    stretches, taken = pointers.into("%one_in", "one_in", single)
    to = ", ".join(f"i64 {place}" for place in places) or "i64 0"
    lines = [
        f"@{name}_each_places{lanes.tag} = private constant [{sizes['out']} x i64] [{to}]",
        f"define internal void @{name}_each{lanes.tag}(ptr %in, ptr %out) noinline cold {{",
        "entry:",
        *(line for take, _ in allocations for line in take),
        "  br label %lane",
        "lane:",
        "  %k = phi i64 [0, %entry], [%k_next, %out_done]",
        *_lane_copy("in", sizes["in"], lanes, "lane", name),
        *stretches,
        f"  call void @{one}{single.tag}({format_pointers(taken)}, ptr %one_out)",
        *_lane_copy("out", sizes["out"], lanes, "in_done", name),
        "  %k_next = add i64 %k, 1",
        f"  %k_more = icmp slt i64 %k_next, {width}",
        "  br i1 %k_more, label %lane, label %end",
        "end:",
        *(line for _, give in allocations for line in give),
        "  ret void",
        "}",
    ]
    return "\n".join(lines)


def _lane_copy(name: str, size: int, lanes: Lanes, before: str, block: str) -> list[str]:
    """Copy lane k of `size` vectors at `name` to single numbers at `one_name`, or back for "out", to their places."""
    R, align = lanes.scalar, lanes.bytes
    source, target = ("vector", "single") if name == "in" else ("single", "vector")
    found = [f"  %{name}_place = add i64 %{name}_i, 0"]
    if name == "out":
        found = [
            f"  %out_where = getelementptr i64, ptr @{block}_each_places{lanes.tag}, i64 %out_i",
            "  %out_place = load i64, ptr %out_where, align 8",
        ]
    return [
        f"  br label %{name}_copy",
        f"{name}_copy:",
        f"  %{name}_i = phi i64 [0, %{before}], [%{name}_next, %{name}_copy]",
        *found,
        f"  %{name}_row = mul i64 %{name}_place, {lanes.sample_stride}",
        f"  %{name}_at = add i64 %{name}_row, %k",
        f"  %{name}_vector = getelementptr {R}, ptr %{name}, i64 %{name}_at",
        f"  %{name}_single = getelementptr {R}, ptr %one_{name}, i64 %{name}_i",
        f"  %{name}_value = load {R}, ptr %{name}_{source}, align {align}",
        f"  store {R} %{name}_value, ptr %{name}_{target}, align {align}",
        f"  %{name}_next = add i64 %{name}_i, 1",
        f"  %{name}_more = icmp slt i64 %{name}_next, {size}",
        f"  br i1 %{name}_more, label %{name}_copy, label %{name}_done",
        f"{name}_done:",
    ]
