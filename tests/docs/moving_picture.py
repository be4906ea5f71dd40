"""`python -m tests.docs.moving_picture` plans a trot and films its page in Chromium for the README."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image

import screwgraph as sg
from screwgraph.ui import view
from tests.ui.view.browser import opened

PICTURE = Path("docs/pictures/a1-trot.gif")
SIZE = (640, 360)
RATE, SLOWER = 40, 2
"""Pictures per second of motion, and how many times slower it is shown."""
COLOURS = 48
HIDDEN = "document.head.insertAdjacentHTML('beforeend', '<style>h1, #legend, #bar {display: none !important}</style>')"


def main() -> None:
    """Film the plan."""
    plan = sg.plan("a1_trot")
    with tempfile.TemporaryDirectory() as folder:
        page_file = Path(folder, "trot.html")
        view.save_html(view.plan_scene(plan), page_file)
        with opened(page_file, *SIZE) as page:
            page.prefer("light")
            page.value(HIDDEN)
            pictures = []
            for t in np.arange(plan.t[0], plan.t[-1], 1.0 / RATE):
                page.value(f"screwgraph.setTime({t})")
                pictures.append(Image.open(io.BytesIO(page.screenshot())).quantize(COLOURS))
    pictures[0].save(
        PICTURE, save_all=True, append_images=pictures[1:], duration=1000 * SLOWER // RATE, loop=0, optimize=True
    )
    print(f"{PICTURE}: {len(pictures)} pictures, {PICTURE.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
