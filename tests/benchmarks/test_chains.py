"""Chains are what their names say; what is not done in time is shown, and longer ones are not tried."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.bench import Tools
from benchmarks.chains import CHAINS, branched, serial
from benchmarks.native import LateError
from benchmarks.themes import chains

from screwgraph.ui.bench import QUESTIONS, Budget, NotMeasuredError, PeerResult

TOOLS = Tools(Budget(seconds=0.002, rounds=3, states=8, batch=16), None, lambda line: None, 60.0)


def test_chains_have_as_many_joints_as_their_names_say():
    assert all(CHAINS[name]().nv == int(name.split()[1]) for name in ("chain 5", "chain 20", "tree 100"))
    chain, limbs = serial(20), branched(40)
    assert all(len(chain.children(f"link{i}")) == 1 for i in range(20))
    assert max(len(limbs.children(f"link{i}")) for i in range(40)) > 1


@pytest.mark.suite
def test_a_short_chain_is_measured(monkeypatch):
    for module in ("benchmarks.themes.chains", "benchmarks.bench"):
        monkeypatch.setattr(f"{module}.find_compiler", refuse)
    sheet = chains.chains_table(["chain 5"], QUESTIONS[:1], TOOLS)
    cells = dict(zip(sheet.columns, sheet.rows[0], strict=True))
    assert cells["robot"] == "chain 5"
    assert cells["Pinocchio C++, ns"] == "-"
    assert (int(cells["operations"]) if cells["operations"] else 1) > 0


def test_a_chain_that_takes_too_long_says_so_and_longer_ones_are_not_tried(monkeypatch):
    tried = []

    def ours(name, question, count, tools):
        tried.append(name)
        if name == "chain 20":
            raise LateError("our compiler", tools.patience)
        return chains.Ours(100, 1.0, PeerResult(50.0, np.ones((count, 1)), "LLVM"))

    class Peer:
        def __init__(self, *_):
            pass

        def measure(self, case, effort):
            return PeerResult(75.0, np.ones((len(case.states.q), 1)), "theirs")

    monkeypatch.setattr(chains, "ours", ours)
    monkeypatch.setattr(chains, "find_compiler", lambda _: None)
    monkeypatch.setattr(chains, "PinocchioInCpp", Peer)
    monkeypatch.setattr(chains, "CppADCodeGen", lambda _: Peer())
    monkeypatch.setattr(Tools, "maker", lambda _: None)
    names = ["chain 10", "chain 20", "chain 50", "tree 100"]
    rows = chains.chains_table(names, QUESTIONS[:1], TOOLS).rows
    cold = [row[chains.COLUMNS.index("cold, s")] for row in rows]
    assert cold == ["1.0", "> 60 s", "not tried (chain 20: > 60 s)", "1.0"]
    assert tried == ["chain 10", "chain 20", "tree 100"]
    assert [row[chains.COLUMNS.index("ratio")] for row in rows] == ["1.50 x", "", "", "1.50 x"]
    assert {len(row) for row in rows} == {len(chains.COLUMNS)}


def refuse(wanted=None):
    raise NotMeasuredError("no C++ compiler: install one")


def test_a_process_that_takes_too_long_is_late():
    with pytest.raises(LateError, match="our compiler was not done after"):
        chains.ours("chain 5", "inverse", 4, Tools(TOOLS.effort, None, TOOLS.say, 0.01))
