"""`screwgraph info`: what is in a robot."""

from __future__ import annotations

from screwgraph.cli import options
from screwgraph.cli.options import BaseKind

HELP = """Show links, joints, masses, frames and warnings of a robot.

\b
Example:
  screwgraph info a1 --base floating
  screwgraph info panda.urdf --lock panda_finger_joint1,panda_finger_joint2 --json
"""


def info(
    robot: options.RobotName,
    base: options.Base = BaseKind.fixed,
    lock: options.Lock = None,
    gravity: options.Gravity = None,
    no_damping: options.NoDamping = False,
    strict: options.Strict = False,
    snap: options.Snap = 0.0,
    model_name: options.Model = None,
    json: options.AsJson = False,
) -> None:
    """Print a robot as tables or as JSON."""
    from screwgraph.cli.describe import description
    from screwgraph.cli.description_tables import print_description
    from screwgraph.cli.streams import print_json

    content = description(options.load_robot(robot, base, lock, gravity, no_damping, strict, snap, model_name))
    if json:
        print_json(content)
    else:
        print_description(content)
