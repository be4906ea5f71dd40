"""The acrobot swings up: torque at its elbow only, at most 20 N m.

Run: python examples/acrobot.py; the picture goes to out/.
"""

from __future__ import annotations

from pathlib import Path

import screwgraph as sg
from screwgraph.draw import draw_motion, save

OUT = Path("out")


def main() -> None:
    OUT.mkdir(exist_ok=True)
    plan = sg.plan("acro")
    print(plan)
    save(draw_motion(plan), OUT / "acrobot.svg")


if __name__ == "__main__":
    main()
