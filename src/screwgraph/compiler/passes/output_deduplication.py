"""Outputs of a program that are the same value: mirrored entries and zeros of matrices."""

from __future__ import annotations

from dataclasses import dataclass, replace

from screwgraph.tape import Program


@dataclass(frozen=True)
class DeduplicatedProgram:
    """A program whose outputs all differ; `places` says which of them each output of the first program is."""

    program: Program
    places: tuple[int, ...]


def deduplicate_outputs(program: Program) -> DeduplicatedProgram:
    """Return the program with each output once."""
    found: dict[int | str, int] = {}
    places = tuple(found.setdefault(_key(output), len(found)) for output in program.outputs)
    outputs = dict(zip(places, program.outputs, strict=True))
    return DeduplicatedProgram(replace(program, outputs=tuple(outputs[i] for i in range(len(outputs)))), places)


def _key(output: int | float) -> int | str:
    """Tell values, and constants by all of their bits, apart."""
    return output if isinstance(output, int) else output.hex()
