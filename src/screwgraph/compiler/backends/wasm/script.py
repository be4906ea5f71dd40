"""The JavaScript module around a WebAssembly module: a function for each function of a library."""

from __future__ import annotations

import base64
from collections.abc import Sequence

from screwgraph.compiler.backends.base import ExportedFunction, Library
from screwgraph.compiler.backends.c import make_identifiers
from screwgraph.compiler.backends.escapes import in_comment
from screwgraph.compiler.backends.wasm.module import IMPORTS, emit_module, list_imports
from screwgraph.compiler.backends.wasm.operations import IMPORTED
from screwgraph.compiler.passes.angle_reduction import LARGE, TURN
from screwgraph.compiler.signature import format_arguments

UNITS = "SI units; floating bases: q = (x y z, qx qy qz qw of any length, joints), qd = (omega, v, joints)."
WORDS = frozenset(
    {"arguments", "async", "await", "debugger", "eval", "finally", "function", "implements", "import", "in", "let"}
    | {"instanceof", "interface", "null", "of", "package", "super", "undefined", "var", "void", "with", "yield"}
    | {"module", "numbers", "Math", "NaN", "Infinity", "Float64Array"}
)
"""Words of JavaScript that C does not have, and names of the script."""
WRAPPED = """// x less whole turns, where it is large: rounding the sum of large angles would cost digits.
function wrapped(x) {{
  if (Math.abs(x) <= {large}) return x;
  const rest = x % {turn};
  return rest - {more} * Math.floor((x - rest) / {turn} + 0.5);
}}
"""
ERF = """// The error function: its power series near zero, the continued fraction of its complement elsewhere
// (Abramowitz & Stegun, 1964, 7.1.6 and 7.1.14).
function erf(x) {
  const a = Math.abs(x);
  if (!(a < 6)) return Number.isNaN(x) ? x : Math.sign(x);
  let sum = 0;
  if (a < 2.5) {
    for (let n = 0, term = a; Math.abs(term) > 1e-18 * sum; ++n, term *= (2 * a * a) / (2 * n + 1)) sum += term;
    return (x < 0 ? -1 : 1) * (2 / Math.sqrt(Math.PI)) * Math.exp(-a * a) * sum;
  }
  for (let n = 60; n > 0; --n) sum = n / 2 / (a + sum);
  return Math.sign(x) * (1 - Math.exp(-a * a) / ((a + sum) * Math.sqrt(Math.PI)));
}
"""


def emit_script(library: Library) -> str:
    """Return the text of an ECMAScript module that needs nothing else: its functions take and give arrays of numbers.

    Matrices stand row by row; one result is a Float64Array, several are an object of them by their names.
    """
    names = _identifiers([library.add_prefix(f.name) for f in library.functions])
    codes = dict(zip(names, (f.code for f in library.functions), strict=True))
    lines = [f"// {in_comment(library.about or library.name)}: made by screwgraph.", f"// {UNITS}", ""]
    needed, (turn, more) = list_imports(codes.values()), TURN["float64"]
    lines += [WRAPPED.format(large=LARGE, turn=turn, more=more)] if "wrapped" in needed else []
    lines += [ERF] if "erf" in needed else []
    table = "".join(f"  {name}: {IMPORTED[name]},\n" for name in needed)
    text = base64.b64encode(emit_module(codes)).decode()
    lines += [
        f"const imports = {{\n{table}}};",
        f'const bytes = Uint8Array.from(atob("{text}"), (c) => c.charCodeAt(0));',
        f"const module = new WebAssembly.Instance(new WebAssembly.Module(bytes), {{ {IMPORTS}: imports }}).exports;",
        "const numbers = new Float64Array(module.memory.buffer);",
        "",
    ]
    for name, f in zip(names, library.functions, strict=True):
        lines += [*_function(name, f), ""]
    return "\n".join(lines)


def _function(name: str, f: ExportedFunction) -> list[str]:
    """Return the lines of a function that puts its arguments into the memory, and takes results from there."""
    takes = _identifiers([a.name for a in f.arguments])
    gives = _identifiers([r.name for r in f.results])
    lines = [f"/** {in_comment(f'{format_arguments(f.arguments)} -> {format_arguments(f.results)}')}; {f.counted}. */"]
    lines.append(f"export function {name}({', '.join(takes)}) {{")
    place = 0
    for own, argument in zip(takes, f.arguments, strict=True):
        size = len(argument.names)
        fault = f'"{name}: {own} has " + {own}.length + " numbers, expected {size}"'
        lines.append(f"  if ({own}.length !== {size}) throw new RangeError({fault});")
        lines.append(f"  numbers.set({own}, {place});")
        place += size
    lines.append(f"  module.{name}();")
    slices = []
    for result in f.results:
        slices.append(f"numbers.slice({place}, {place + result.size})")
        place += result.size
    several = ", ".join(f"{own}: {part}" for own, part in zip(gives, slices, strict=True))
    return [*lines, f"  return {slices[0] if len(slices) == 1 else f'{{ {several} }}'};", "}"]


def _identifiers(names: Sequence[str]) -> list[str]:
    return make_identifiers(f"{name}_" if name in WORDS else name for name in names)
