"""What a program can become: one file or folder each, and a line in `BACKENDS`."""

from collections.abc import Mapping

from screwgraph.compiler.backends import c, casadi, llvm, numpy
from screwgraph.compiler.backends.base import Backend, Listing

BACKENDS: Mapping[str, Backend] = {
    "c": c.BACKEND,
    "llvm": llvm.BACKEND,
    "numpy": numpy.BACKEND,
    "casadi": casadi.BACKEND,
}

__all__ = ["BACKENDS", "Backend", "Listing"]
