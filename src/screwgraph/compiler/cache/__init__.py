"""What was made once is kept on disk: programs by the question that they answer, machine code by the program."""

from screwgraph.compiler.cache.kinds import OBJECT
from screwgraph.compiler.cache.lookup import recall
from screwgraph.compiler.cache.packing import pack_program, unpack_program
from screwgraph.compiler.cache.questions import Made, kept, remembered

__all__ = ["OBJECT", "Made", "kept", "pack_program", "recall", "remembered", "unpack_program"]
