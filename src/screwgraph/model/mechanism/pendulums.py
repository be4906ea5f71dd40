"""Chains of pendulums of any length."""

from __future__ import annotations

from collections.abc import Mapping

from screwgraph.model.mechanism.mechanism import Mechanism
from screwgraph.model.mechanism.read import read_mechanism

MOST = 50
"""Rods of a chain."""


def chain_of_pendulums(
    count: int, length: float = 1.0, mass: float = 1.0, values: Mapping[str, float] | None = None
) -> Mechanism:
    """Return equal slender rods (m, kg), one on the end of the other, stretched out horizontally.

    The angles are those from each rod to the next, the first from the x axis; all of them have motors. `values` are
    those of `load_mechanism`: of the parameters L and m, and of values like "mass:rod1".

    Raises:
        InputError: the chain has none of the values that `values` names.
    """
    given = {"L": length, "m": mass, **(values or {})}
    return read_mechanism(_text(count).encode(), f"pendulum_{count}.yaml", given)


def _text(count: int) -> str:
    """Write a chain as the file of a mechanism."""
    rods = range(1, count + 1)
    points = ["{name: '0', x: 0, y: 0, fixed: true}", *(f"{{name: '{i}', x: {i}*L, y: 0}}" for i in rods)]
    entries = "length: L, mass: m, I0: (1/3)*mass*length^2, cog: [0.5*length, 0]"
    bodies = [f"{{name: rod{i}, points: ['{i - 1}', '{i}'], {entries}}}" for i in rods]
    angles = [f"{{angle: theta{i}, of: ['{i - 1}', '{i}']{_name_predecessor(i)}}}" for i in rods]
    names = ", ".join(f"theta{i}" for i in rods)
    lists = {"points": points, "bodies": bodies, "angles": angles}
    entries = "".join(f"{key}:\n" + "".join(f"  - {item}\n" for item in items) for key, items in lists.items())
    head = f"name: pendulum_{count}\nparameters: {{L: 1.0, m: 1.0}}\n"
    return f"{head}{entries}motors: [{names}]\nindependent: [{names}]\n"


def _name_predecessor(i: int) -> str:
    return f", from: ['{i - 2}', '{i - 1}']" if i > 1 else ""
