"""A Panda moves its hand to a pose in a second, with little torque, within all of its limits.

Run: python examples/panda.py; the picture goes to out/.
"""

from __future__ import annotations

from pathlib import Path

import screwgraph as sg
from screwgraph.draw import draw_motion, save

OUT = Path("out")


def main() -> None:
    OUT.mkdir(exist_ok=True)
    plan = sg.plan("panda")
    print(plan)
    save(draw_motion(plan), OUT / "panda.svg")


if __name__ == "__main__":
    main()
