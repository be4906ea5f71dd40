"""Pinocchio's algorithms on CasADi's scalar expressions, written as C: for one state, and for blocks of samples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.peers.answers import answer
from benchmarks.peers.generated_code import Code, Maker
from benchmarks.peers.pinocchio_cpp import built
from screwgraph.ui.bench import Budget, Case, NotMeasuredError, PeerResult, import_peer

OPERATIONS: Mapping[str, str] = {
    "OP_ASSIGN": "{}",
    "OP_ADD": "{} + {}",
    "OP_SUB": "{} - {}",
    "OP_MUL": "{} * {}",
    "OP_DIV": "{} / {}",
    "OP_NEG": "-{}",
    "OP_SQ": "{0} * {0}",
    "OP_TWICE": "{0} + {0}",
    "OP_INV": "1.0 / {}",
    "OP_SQRT": "SQRT({})",
    "OP_SIN": "SIN({})",
    "OP_COS": "COS({})",
}
"""C of CasADi's instructions."""
CALLS = """#include <math.h>
#define SIN sin
#define COS cos
#define SQRT sqrt

void f(const double *restrict x, double *restrict y)
{
"""
BLOCKS = """#include <math.h>
typedef double V __attribute__((vector_size(8 * WIDTH)));

/* Sines of glibc's vectors where they are, else one by one. */
#if defined(__GLIBC__) && defined(__AVX512F__) && WIDTH == 8
V _ZGVeN8v_sin(V), _ZGVeN8v_cos(V);
#define SIN _ZGVeN8v_sin
#define COS _ZGVeN8v_cos
#elif defined(__GLIBC__) && defined(__AVX2__) && WIDTH == 4
V _ZGVdN4v_sin(V), _ZGVdN4v_cos(V);
#define SIN _ZGVdN4v_sin
#define COS _ZGVdN4v_cos
#else
static V SIN(V x) { V y; for (int k = 0; k < WIDTH; ++k) y[k] = sin(x[k]); return y; }
static V COS(V x) { V y; for (int k = 0; k < WIDTH; ++k) y[k] = cos(x[k]); return y; }
#endif
static inline V SQRT(V x) { V y; for (int k = 0; k < WIDTH; ++k) y[k] = sqrt(x[k]); return y; }
#if defined(STREAM) && defined(__clang__)
#define STORE(value, place) __builtin_nontemporal_store(value, place)
#else
#define STORE(value, place) (*(place) = (value))
#endif

void f(const double *restrict from, double *restrict to, long blocks)
{
  const V *restrict x = (const V *)from;
  V *restrict y = (V *)to;
  for (long block = 0; block < blocks; ++block, x += %d, y += %d) {
"""


@dataclass(frozen=True)
class CasadiSx:
    """Code of one state, from a program that is built once."""

    maker: Maker
    name: str = "CasADi SX"

    def version(self) -> str:
        """Return name and version. Raises NotMeasuredError if it is not here."""
        return f"CasADi {_casadi().__version__}"

    def measure(self, case: Case, effort: Budget) -> PeerResult:
        """Time one call; answer at all states."""
        return self.maker.calls(self.code(case), case, effort)

    def code(self, case: Case) -> Code:
        """Return C of one state."""
        f, way = _function(self.maker, case)
        return _code(f, CALLS + "".join(_statements(f, "double", "y[{}] = {};")) + "}\n", way)


@dataclass(frozen=True)
class CasadiSxInBlocks:
    """Code of as many samples as a vector holds; results are structural nonzeros and one triangle, block by block."""

    maker: Maker
    name: str = "CasADi SX in blocks"

    def version(self) -> str:
        """Return name and version. Raises NotMeasuredError if it is not here."""
        return f"CasADi {_casadi().__version__}"

    def measure(self, case: Case, effort: Budget) -> PeerResult:
        """Time a sample of a batch; answer at the first ones."""
        f, way = _function(self.maker, case)
        body = "".join(_statements(f, "V", "STORE({1}, y + {0});"))
        head = BLOCKS % (sum(f.nnz_in(i) for i in range(f.n_in())), f.nnz_out(0))
        return self.maker.blocks(_code(f, head + body + "}\n}\n", way), case, effort)


def _casadi() -> Any:
    return import_peer("casadi", "casadi")


def _function(maker: Maker, case: Case) -> tuple[Any, str]:
    """Return f(q, v, x) as CasADi has it."""
    answer(case.question.name)
    casadi = _casadi()
    folder = Path(casadi.__file__).parent
    program = built(
        "generate_sx.cpp",
        maker.compiler,
        maker.say,
        includes=[folder / "include"],
        libraries=[f"-L{folder}", "-lcasadi", f"-Wl,-rpath,{folder}"],
        optimisation=["-O1", "-DNDEBUG"],
    )
    file, way = maker.generated(program, case)
    return casadi.Function.load(str(file)), way


def _code(f: Any, text: str, way: str) -> Code:
    pattern = f.sparsity_out(0)
    rows, columns = (np.array(x, dtype=int) for x in pattern.get_triplet())
    return Code(text, rows * pattern.size2() + columns, pattern.numel(), way)


def _statements(f: Any, kind: str, store: str) -> list[str]:
    """Return one statement an instruction, each value with a name of its own."""
    casadi = _casadi()
    forms = {getattr(casadi, name): form for name, form in OPERATIONS.items()}
    starts = np.cumsum([0, *(f.nnz_in(i) for i in range(f.n_in()))])
    now: dict[int, str] = {}
    lines = []
    for i in range(f.n_instructions()):
        kind_of, takes, gives = f.instruction_id(i), f.instruction_input(i), f.instruction_output(i)
        if kind_of == casadi.OP_OUTPUT:
            lines.append(store.format(gives[1], now[takes[0]]) + "\n")
            continue
        if kind_of == casadi.OP_INPUT:
            value = f"x[{starts[takes[0]] + takes[1]}]"
        elif kind_of == casadi.OP_CONST:
            number = repr(f.instruction_constant(i))
            value = number if kind == "double" else f"(V){{}} + {number}"
        elif kind_of in forms:
            value = forms[kind_of].format(*(now[place] for place in takes))
        else:
            raise NotMeasuredError(f"no C is known for CasADi's operation {kind_of}")
        now[gives[0]] = f"w{i}"
        lines.append(f"const {kind} w{i} = {value};\n")
    return lines
