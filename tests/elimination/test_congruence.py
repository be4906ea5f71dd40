"""Turned symmetric matrices in fewer operations."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from screwgraph.elimination.congruence import prepare_rotations
from screwgraph.elimination.system import System
from screwgraph.graph import Factor, Key, Row, factor
from screwgraph.tape import SAMPLES, WIDE, Scalar, Tape

WRENCH, CARRIED, PARENT = Key("wrench", "link"), Key("propagated_acceleration", "link"), Key("acceleration", "parent")


@factor(linear=("F",), cites="", solved={"F": lambda n: ""})
def balance(F):
    """Stand for a law that is solved for a wrench."""
    return F


@factor(linear=("propagated",), cites="", solved={"propagated": lambda n: ""})
def carry(carried):
    """Stand for a law that is solved for what is carried."""
    return carried


def turned_system(symmetric: bool) -> tuple[Tape, System, np.ndarray, np.ndarray]:
    """Return F = I C and C = R V in two dimensions, with I and R at the tape's samples."""
    rng, tape = np.random.default_rng(6), Tape()

    def scalar(name: str) -> Scalar:
        return tape.input(name, rng.standard_normal(SAMPLES + WIDE).tolist())

    angle = scalar("angle")
    c, s = angle.cos(), angle.sin()
    a, b, d = scalar("a"), scalar("b"), scalar("d")
    e = b if symmetric else scalar("e")
    inertia = [[a, b], [e, d]]
    turn = [[c, s], [-s, c]]
    of_wrench, of_carried = Factor(balance, {"F": WRENCH}, 2, 1), Factor(carry, {"propagated": CARRIED}, 2, 1)
    rows = [Row({(WRENCH, i): -1.0} | {(CARRIED, j): inertia[i][j] for j in (0, 1)}, 0.0, of_wrench, i) for i in (0, 1)]
    rows += [Row({(CARRIED, i): 1.0} | {(PARENT, j): -turn[i][j] for j in (0, 1)}, 0.0, of_carried, i) for i in (0, 1)]
    values = [np.moveaxis([[x.samples for x in row] for row in m], 2, 0) for m in (inertia, turn)]
    return tape, System(rows), values[0], values[1]


@pytest.mark.parametrize("symmetric", [True, False])
def test_a_turned_matrix_is_on_the_tape_in_few_operations(symmetric):
    tape, system, inertia, turn = turned_system(symmetric)
    before = len(tape.nodes)
    prepare_rotations(system, [(WRENCH, 0), (WRENCH, 1)])
    written = tape.nodes[before:]
    samples = np.array([tape.written[node].samples for node in written])
    for entry in (turn.transpose(0, 2, 1) @ inertia @ turn).reshape(SAMPLES, 4).T:
        assert np.isclose(samples, entry, rtol=1e-12, atol=1e-12).all(axis=1).any()
    counts = Counter(operation for operation, *_ in written)
    assert counts["mul"] <= 4
    assert counts["add"] + counts["sub"] <= 7


def test_what_is_no_turn_is_left_alone():
    tape, system, *_ = turned_system(True)
    system.terms[2][PARENT, 0] = 0.5
    before = len(tape.nodes)
    prepare_rotations(system, [(WRENCH, 0), (WRENCH, 1)])
    assert len(tape.nodes) == before
