"""What was made once is kept on disk: programs by the question that they answer, machine code by the program."""

from screwgraph.compiler.cache.codes import pack_code, unpack_code
from screwgraph.compiler.cache.kinds import OBJECT, PROGRAM
from screwgraph.compiler.cache.lookup import recall, recalled
from screwgraph.compiler.cache.packing import pack_program, unpack_program
from screwgraph.compiler.cache.questions import Made, kept, remembered

__all__ = [
    "OBJECT",
    "PROGRAM",
    "Made",
    "kept",
    "pack_code",
    "pack_program",
    "recall",
    "recalled",
    "remembered",
    "unpack_code",
    "unpack_program",
]
