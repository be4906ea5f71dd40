"""Programs as modules of WebAssembly, and a script that calls them: answers in browsers and in Node.js."""

from screwgraph.compiler.backends.base import Backend
from screwgraph.compiler.backends.wasm.module import emit_module
from screwgraph.compiler.backends.wasm.operations import WASM
from screwgraph.compiler.backends.wasm.script import emit_script

BACKEND = Backend(
    "a JavaScript module with WebAssembly inside, for browsers and Node.js; needs nothing else",
    WASM.keys(),
    lambda library: {f"{library.name}.mjs": emit_script(library)},
    dtypes=("float64",),
)

__all__ = ["BACKEND", "emit_module", "emit_script"]
