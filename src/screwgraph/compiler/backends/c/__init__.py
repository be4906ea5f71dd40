"""Functions as self-contained C99: no dependency but math.h, no memory beyond their variables."""

from screwgraph.compiler.backends.base import Backend, Library
from screwgraph.compiler.backends.c.operations import C, identifiers
from screwgraph.compiler.backends.c.package import package
from screwgraph.compiler.backends.c.text import c_header, c_source, c_source_beside


def _files(library: Library) -> dict[str, str]:
    name = library.name
    return {f"{name}.h": c_header(library), f"{name}.c": c_source_beside(library), **package(library)}


BACKEND = Backend("C99 source and a header, with CMake and pkg-config; needs nothing but math.h", C.keys(), _files)

__all__ = ["BACKEND", "c_header", "c_source", "identifiers"]
