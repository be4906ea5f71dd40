"""`python -m tests.docs.moving_picture` films pages in Chromium for the README and the gallery; names: only these."""

from __future__ import annotations

import io
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

import screwgraph as sg
from screwgraph.ui import view
from tests.ui.view.browser import opened

FOLDER = Path("docs/pictures")
HIDDEN = "document.head.insertAdjacentHTML('beforeend', '<style>h1, #legend, #bar {display: none !important}</style>')"


@dataclass(frozen=True)
class Film:
    """A scene, the size of its pictures, how many there are in a second of motion, and how much slower it is shown."""

    scene: Callable[[], view.Scene]
    size: tuple[int, int]
    rate: int
    slower: int = 1
    colours: int = 48


def trot() -> view.Scene:
    """Return a planned trot of a quadruped."""
    return view.plan_scene(sg.plan("a1_trot"))


def four_bar() -> view.Scene:
    """Return a four-bar linkage under gravity, with the curve of a place on its coupler."""
    run = sg.simulate(sg.load_mechanism("four_bar"), time=2.4, dt=0.01)
    return view.trajectory_scene(run, paths=[("coupler", (1.0, 0.5))])


FILMS = {"a1-trot.gif": Film(trot, (640, 360), 40, 2), "four_bar.gif": Film(four_bar, (360, 240), 12, 1, 24)}


def take(film: Film, path: Path) -> int:
    """Write a film, and return how many pictures it has."""
    scene = film.scene()
    with tempfile.TemporaryDirectory() as folder:
        page_file = Path(folder, "page.html")
        view.save_html(scene, page_file)
        with opened(page_file, *film.size) as page:
            page.prefer("light")
            page.value(HIDDEN)
            pictures = []
            for t in np.arange(0.0, scene.t[-1] - scene.t[0], 1.0 / film.rate):
                page.value(f"screwgraph.setTime({t})")
                pictures.append(Image.open(io.BytesIO(page.screenshot())).quantize(film.colours))
    duration = 1000 * film.slower // film.rate
    pictures[0].save(path, save_all=True, append_images=pictures[1:], duration=duration, loop=0, optimize=True)
    return len(pictures)


def main() -> None:
    """Take all films, or those that are named."""
    for name in sys.argv[1:] or FILMS:
        count = take(FILMS[name], FOLDER / name)
        print(f"{name}: {count} pictures, {(FOLDER / name).stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
