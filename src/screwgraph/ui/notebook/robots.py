"""A robot: its joints as a tree and as a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from html import escape
from typing import Any

from screwgraph.model.robot import Joint, Robot, units
from screwgraph.ui.notebook.html_elements import fold_content, make_remark, make_table


def title(robot: Robot) -> str:
    """Name it, with its size."""
    return repr(robot).strip("<>")


def tables(robot: Robot) -> Iterator[str]:
    """Yield the tree, the joints, the links, and what ties joints."""
    yield f'<pre style="line-height:1.25;margin:4px 0">{escape(chr(10).join(tree(robot)))}</pre>'
    columns = ("#", "joint", "type", "axis", "from", "to", "position", "velocity", "effort")
    yield make_table(columns, [(i, *_joint(joint)) for i, joint in enumerate(robot.joints, 1)])
    ties = [(loop.name, "loop", f"{loop.predecessor} – {loop.successor}") for loop in robot.loops]
    ties += [(coupling.name, "coupling", coupling.text) for coupling in robot.couplings]
    yield make_table(("name", "kind", "ties"), ties)
    yield make_table(("actuator", "drives"), [(actuator.name, actuator.text) for actuator in robot.actuators])
    masses = [(i, k.name, k.inertia.mass, _format_numbers(k.inertia.com)) for i, k in enumerate(robot.links)]
    yield fold_content("links", make_table(("#", "link", "mass (kg)", "centre of mass (m)"), masses))
    if robot.frames:
        yield fold_content(
            "frames", make_table(("frame", "on link"), [(frame.name, frame.link) for frame in robot.frames])
        )
    yield from (make_remark(f"warning: {warning}") for warning in robot.warnings)


def pictures(robot: Robot) -> tuple[Callable[[], str], ...]:
    """Return none: a robot has no position of its own."""
    return ()


def tree(robot: Robot) -> list[str]:
    """Return the links as lines, children under their parents."""
    lines = [robot.links[0].name]

    def hang(link: str, indent: str) -> None:
        joints = robot.children(link)
        for joint in joints:
            last = joint is joints[-1]
            lines.append(f"{indent}{'└─ ' if last else '├─ '}{joint.child}  ({joint.name}, {_kind(joint)})")
            hang(joint.child, indent + ("   " if last else "│  "))

    hang(robot.links[0].name, "")
    return lines


def _joint(joint: Joint) -> tuple[object, ...]:
    limits, unit = joint.limits, units(joint.type)
    bounds = None if limits.lower is None and limits.upper is None else (limits.lower, limits.upper)
    span = "" if bounds is None else " .. ".join("" if x is None else f"{x:.5g}" for x in bounds)
    sizes = ((span, unit.position), (limits.velocity, unit.velocity), (limits.effort, unit.effort))
    cells = (_with_unit(value, named) for value, named in sizes)
    return joint.name, _kind(joint), _axis(joint), joint.parent, joint.child, *cells


def _with_unit(value: Any, unit: tuple[str, ...]) -> str:
    return "" if value in (None, "") else f"{value if isinstance(value, str) else f'{value:.5g}'} {unit[0]}"


def _kind(joint: Joint) -> str:
    return type(joint.type).__name__.lower()


def _axis(joint: Joint) -> str:
    axis = getattr(joint.type, "axis", None)
    return "" if axis is None else _format_numbers(axis)


def _format_numbers(numbers: Any) -> str:
    return " ".join(f"{float(x) + 0.0:.4g}" for x in numbers)
