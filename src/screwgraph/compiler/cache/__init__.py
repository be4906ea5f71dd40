"""What was made once is kept on disk: programs by the question that they answer, machine code by the program."""

from screwgraph.compiler.cache.code_serialisation import pack_code, unpack_code
from screwgraph.compiler.cache.lookup import get_or_make, look_up
from screwgraph.compiler.cache.program_cache import CachedCode, get_or_make_code, look_up_code
from screwgraph.compiler.cache.program_serialisation import pack_program, unpack_program
from screwgraph.compiler.cache.store import OBJECT, PROGRAM

__all__ = [
    "OBJECT",
    "PROGRAM",
    "CachedCode",
    "get_or_make",
    "get_or_make_code",
    "look_up",
    "look_up_code",
    "pack_code",
    "pack_program",
    "unpack_code",
    "unpack_program",
]
