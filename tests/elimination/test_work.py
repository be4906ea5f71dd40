"""What a step is expected to cost is what it writes: the search for orders goes by it."""

from random import Random

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.elimination import equations
from screwgraph.elimination.system import DIVISION, System
from screwgraph.graph import Column, Row
from screwgraph.tape import SAMPLES, WIDE, Number, Tape

COSTS = {"add": 1, "sub": 1, "mul": 1, "inv": DIVISION}
SIZE = 6


def written(tape: Tape) -> int:
    """Count the operations on a tape; changes of sign and guards cost nothing."""
    return sum(COSTS.get(node[0], 0) for node in tape.nodes)


def random_system(seed: int) -> tuple[Tape, System, Column]:
    """Return equations all of which may hold a column; coefficients of +-1 stand where they make no values equal."""
    random, rng, tape = Random(seed), np.random.default_rng(seed), Tape()

    def number(units: float = 0.0) -> Number:
        if random.random() < units:
            return random.choice((1.0, -1.0))
        return tape.input(f"x{len(tape.input_names)}", rng.normal(size=SAMPLES + WIDE).tolist())

    origin = equations(sg.dynamics_graph(sg.load("rr")).given("q", "qd", "qdd")).rows
    first, *others = list(dict.fromkeys(c for row in origin for c in row.terms))[:SIZE]
    pivot = number(0.5)
    of_pivot = {c: number(0.3 if isinstance(pivot, float) else 0.0) for c in others if random.random() < 0.6}
    rows = [Row({first: pivot, **of_pivot}, number() if seed % 2 else 0.0, origin[0].factor, origin[0].number)]
    for own in origin[1:SIZE]:
        held = {first: number(0.4)} if random.random() < 0.7 else {}
        held |= {c: number() for c in others if random.random() < 0.6}
        rows.append(Row(held, number(), own.factor, own.number))
    return tape, System(rows), first


@pytest.mark.parametrize("seed", range(40))
def test_the_work_of_a_step_is_what_it_adds_to_the_tape(seed):
    tape, system, column = random_system(seed)
    expected, before = system.work(column, 0), written(tape)
    system.eliminate(column, 0, 0)
    assert written(tape) - before == expected


def test_work_is_counted_by_hand():
    """x = -(b y + c) / a into d x + e y + f: a reciprocal, b and c by it, d by both, two sums; units spare products."""
    origin = equations(sg.dynamics_graph(sg.load("rr")).given("q", "qd", "qdd")).rows
    x, y = list(dict.fromkeys(c for row in origin for c in row.terms))[:2]
    for a, d, expected in (
        (2.0, 3.0, DIVISION + 2 + 2 + 2),
        (1.0, 3.0, 2 + 2),
        (2.0, -1.0, DIVISION + 2 + 2),
        (1, 1, 2),
    ):
        rows = [
            Row({x: a, y: 5.0}, 7.0, origin[0].factor, origin[0].number),
            Row({x: d, y: 11.0}, 13.0, origin[1].factor, origin[1].number),
        ]
        assert System(rows).work(x, 0) == expected
