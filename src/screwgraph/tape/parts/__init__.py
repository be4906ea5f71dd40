"""Parts of code with loops: what is done one after the other in a memory. See `routine.py`."""

from screwgraph.tape.parts.block import Block, unroll_part
from screwgraph.tape.parts.control import Loop, SettledWhen, SettlingLoop, When
from screwgraph.tape.parts.moves import Copies, Fill, Lookup, Pick, Put
from screwgraph.tape.parts.part import Execution, Part, list_parts, sum_operations
from screwgraph.tape.parts.products import Products, Span, find_spans
from screwgraph.tape.parts.recursion import SIX, WIDEST, Recursion, work_size
from screwgraph.tape.parts.stage_loop import FIXED, Moves, SideBySide, StageLoop, Window

__all__ = [
    "FIXED",
    "PARTS",
    "SIX",
    "WIDEST",
    "Block",
    "Copies",
    "Execution",
    "Fill",
    "Lookup",
    "Loop",
    "Moves",
    "Part",
    "Pick",
    "Products",
    "Put",
    "Recursion",
    "SettledWhen",
    "SettlingLoop",
    "SideBySide",
    "Span",
    "StageLoop",
    "When",
    "Window",
    "find_spans",
    "list_parts",
    "sum_operations",
    "unroll_part",
    "work_size",
]

PARTS: tuple[type[Part], ...] = (
    *(
        Block,
        Copies,
        Fill,
        Lookup,
        Loop,
        Pick,
        Products,
        Put,
        Recursion,
        SettledWhen,
        SettlingLoop,
        SideBySide,
        StageLoop,
        When,
    ),
)
"""All kinds of parts: each back end that has loops has a printer for each, the cache packs each."""
