"""Functions as self-contained C99: no dependency but math.h, no memory beyond their variables."""

from screwgraph.compiler.backends.base import Backend, Library
from screwgraph.compiler.backends.c.operations import C, make_identifiers
from screwgraph.compiler.backends.c.package import emit_package
from screwgraph.compiler.backends.c.source_text import emit_header, emit_separate_source, emit_source


def _files(library: Library) -> dict[str, str]:
    name = library.name
    return {f"{name}.h": emit_header(library), f"{name}.c": emit_separate_source(library), **emit_package(library)}


BACKEND = Backend("C99 source and a header, with CMake and pkg-config; needs nothing but math.h", C.keys(), _files)

__all__ = ["BACKEND", "emit_header", "emit_source", "make_identifiers"]
