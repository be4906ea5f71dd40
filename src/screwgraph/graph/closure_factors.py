"""Where loops and couplings enter the graph: their own factors, and the balances that their multipliers act in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from screwgraph.graph.clusters import cluster_joints
from screwgraph.graph.constraints import Constraint, CouplingLaw
from screwgraph.graph.factor import Factor
from screwgraph.graph.factors import coupling, loop, tied_velocities
from screwgraph.graph.loop_ends import End
from screwgraph.graph.variable import Key
from screwgraph.model.robot import Chain, Joint, Robot


def make_closure_factor(constraint: Constraint) -> Factor:
    """Return the law that a loop or coupling imposes on accelerations."""
    law = constraint.law
    if isinstance(law, Chain):
        ends = {"p": law.loop.predecessor, "s": law.loop.successor}
        accelerations = {f"Vdot_{end}": Key("acceleration", link) for end, link in ends.items()}
        twists = {f"V_{end}": Key("twist", link) for end, link in ends.items()}
        arguments = {**accelerations, **twists, "q": _keys("q", law.joints)}
        return Factor(loop, arguments, constraint.rows, constraint.index, {"chain": law}, constraint.multiplier)
    arguments = {"qdd": _keys("qdd", law.joints)}
    if not law.coupling.is_linear:
        arguments |= {"q": _keys("q", law.joints), "qd": _keys("qd", law.joints)}
    return Factor(coupling, arguments, constraint.rows, constraint.index, {"coupling": law}, constraint.multiplier)


def add_loop_ends(balance: Factor, link: str, constraints: Iterable[Constraint]) -> Factor:
    """Let the loops that end at a link act in the balance of its wrenches."""
    ends: list[tuple[Key, End]] = []
    for constraint in constraints:
        law = constraint.law
        if isinstance(law, Chain):
            ends += [(constraint.multiplier, End(law, False))] if law.loop.predecessor == link else []
            ends += [(constraint.multiplier, End(law, True))] if law.loop.successor == link else []
    if not ends:
        return balance
    arguments = {
        "multipliers": tuple(key for key, _ in ends),
        "q_loops": _keys("q", [joint for _, end in ends for joint in end.joints]),
    }
    return _extend_factor(balance, arguments, {"ends": tuple(end for _, end in ends)})


def add_couplings(balance: Factor, joint: Joint, constraints: Iterable[Constraint]) -> Factor:
    """Let the couplings of a joint act in the balance of its torques."""
    couplings: list[tuple[Key, CouplingLaw]] = []
    for constraint in constraints:
        law = constraint.law
        if isinstance(law, CouplingLaw) and any(joint.name == tied.name for tied in law.joints):
            couplings.append((constraint.multiplier, law))
    if not couplings:
        return balance
    arguments = {
        "multipliers": tuple(key for key, _ in couplings),
        "q_couplings": _keys("q", [tied for _, law in couplings if not law.coupling.is_linear for tied in law.joints]),
    }
    return _extend_factor(balance, arguments, {"couplings": tuple(law for _, law in couplings)})


def _extend_factor(factor: Factor, arguments: dict, parameters: dict) -> Factor:
    return replace(factor, arguments={**factor.arguments, **arguments}, parameters={**factor.parameters, **parameters})


def _keys(kind: str, joints: Sequence[Joint]) -> tuple[Key, ...]:
    return tuple(Key(kind, joint.name) for joint in joints)


def make_velocity_factors(robot: Robot, constraints: Iterable[Constraint]) -> list[Factor]:
    """Return a law for each cluster of a closed chain: what its joints' velocities obey, one row a multiplier's number.

    It determines the velocities of the dependent joints where only those of the others are given.
    """
    laws = {c.multiplier: c.law for c in constraints}
    factors = []
    for cluster in cluster_joints(robot.joints, {key: [j.name for j in law.joints] for key, law in laws.items()}):
        own = tuple(laws[key] for key in cluster.multipliers)
        if own:
            joints = cluster.joints
            arguments = {"qd": _keys("qd", joints), "q": _keys("q", joints)}
            rows = sum(len(law.kept) if isinstance(law, Chain) else 1 for law in own)
            index = robot.link_index(joints[0].child)
            factors.append(Factor(tied_velocities, arguments, rows, index, {"joints": joints, "laws": own}))
    return factors
