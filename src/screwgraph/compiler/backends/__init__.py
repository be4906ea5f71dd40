"""What programs can become: one file or folder each, and a line in `BACKENDS`."""

from collections.abc import Mapping

from screwgraph.compiler.backends import c, casadi, cpp, llvm, numpy, ptx, ros2, rust, wasm
from screwgraph.compiler.backends.base import Backend, ExportedFunction, Library, write_one_file_each

BACKENDS: Mapping[str, Backend] = {
    "c": c.BACKEND,
    "cpp": cpp.BACKEND,
    "rust": rust.BACKEND,
    "ros2": ros2.BACKEND,
    "llvm": llvm.BACKEND,
    "ptx": ptx.BACKEND,
    "numpy": numpy.BACKEND,
    "wasm": wasm.BACKEND,
    "casadi": casadi.BACKEND,
}

__all__ = ["BACKENDS", "Backend", "ExportedFunction", "Library", "write_one_file_each"]
