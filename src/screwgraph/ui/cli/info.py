"""`screwgraph info`: what is in a robot or a planar mechanism."""

from __future__ import annotations

import typer

from screwgraph.ui.cli import options
from screwgraph.ui.cli.mechanism_options import Values
from screwgraph.ui.cli.options import BaseKind

HELP = """Show links, joints, masses, frames and warnings of a robot, or the parts of a planar mechanism.

\b
Example:
  screwgraph info a1 --base floating
  screwgraph info four_bar_angle --set mass:coupler=2.5
  screwgraph info panda.urdf --lock panda_finger_joint1,panda_finger_joint2 --json
"""


def info(
    context: typer.Context,
    robot: options.RobotName,
    base: options.Base = BaseKind.fixed,
    lock: options.Lock = None,
    independent: options.Independent = None,
    gravity: options.Gravity = None,
    no_damping: options.NoDamping = False,
    strict: options.Strict = False,
    snap: options.Snap = 0.0,
    model_name: options.Model = None,
    xacro: options.XacroArgs = None,
    values: Values = None,
    json: options.AsJson = False,
) -> None:
    """Print a robot or a mechanism as tables or as JSON."""
    from screwgraph.model.load import is_mechanism
    from screwgraph.ui.cli.console import print_json, show_progress
    from screwgraph.ui.cli.describe import describe_robot
    from screwgraph.ui.cli.describe_mechanism import describe_mechanism, print_mechanism
    from screwgraph.ui.cli.description_tables import print_description
    from screwgraph.ui.cli.mechanism_options import load_mechanism_with_values, refuse_robot_options, refuse_values

    if is_mechanism(robot):
        refuse_robot_options(
            context, lock, independent, gravity, no_damping, strict, snap, model_name, xacro, base is not BaseKind.fixed
        )
        content = describe_mechanism(load_mechanism_with_values(robot, values))
        return print_json(content) if json else print_mechanism(content)
    refuse_values(context, values)
    model = options.load_robot(robot, base, lock, gravity, no_damping, strict, snap, model_name, xacro, independent)
    with show_progress(f"analysing {model.name}"):
        content = describe_robot(model)
    if json:
        print_json(content)
    else:
        print_description(content)
    return None
