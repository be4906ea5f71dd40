"""Pinocchio's algorithms as C code by CppADCodeGen, built with the same compiler."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import numpy as np

from benchmarks.headers import include_folder
from benchmarks.peers.answers import answer
from benchmarks.peers.generated_code import Code, Maker
from benchmarks.peers.pinocchio_cpp import built
from screwgraph.ui.bench import Budget, Case, NotMeasuredError, PeerResult

PACKAGE = "cmeel-cppadcodegen"


@dataclass(frozen=True)
class CppADCodeGen:
    """Code of one state, from a program that is built once."""

    maker: Maker
    name: str = "CppADCodeGen"

    def version(self) -> str:
        """Return name and version. Raises NotMeasuredError if it is not here."""
        _headers()
        try:
            return f"CppADCodeGen {metadata.version(PACKAGE)}"
        except metadata.PackageNotFoundError:
            return "CppADCodeGen, the system's"

    def measure(self, case: Case, effort: Budget) -> PeerResult:
        """Time one call; answer at all states."""
        return self.maker.calls(self.code(case), case, effort)

    def code(self, case: Case) -> Code:
        """Return generated code, as `generate_cppadcg.cpp` describes it."""
        answer(case.question.name)
        program = built(
            "generate_cppadcg.cpp",
            self.maker.compiler,
            self.maker.say,
            includes=[_headers()],
            optimisation=["-O1", "-DNDEBUG"],
        )
        file, way = self.maker.generated(program, case)
        head, _, text = file.read_text().partition("\n")
        rows, columns, *places = (int(word) for word in head.split()[2:])
        return Code(text, np.array(places, dtype=int), rows * columns, way)


def _headers() -> Path:
    try:
        return include_folder("cppad/cg.hpp", f"pip install {PACKAGE}")
    except NotMeasuredError as error:
        raise NotMeasuredError(f"CppADCodeGen is not installed (pip install {PACKAGE})") from error
