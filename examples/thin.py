"""Pictures as small as a page needs them: drawings with coordinates to a hundredth of a point, and without a date."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
PLACES = re.compile(r'\b(d|x|y)="([^"]*)"')
SHIFTS = re.compile(r"translate\([^)]*\)")
METADATA = re.compile(r"\s*<metadata>.*?</metadata>", re.DOTALL)


def keep(picture: Path, target: Path) -> None:
    """Copy a picture, a drawing (.svg) thinned."""
    if picture.suffix == ".svg":
        target.write_text(thin(picture.read_text(encoding="utf-8")), encoding="utf-8")
    else:
        shutil.copy(picture, target)


def thin(svg: str) -> str:
    """Return a drawing that looks the same, in fewer characters. Scales and matrices keep their digits."""
    svg = METADATA.sub("", svg)
    svg = PLACES.sub(lambda m: f'{m[1]}="{" ".join(NUMBER.sub(_rounded, m[2]).split())}"', svg)
    svg = SHIFTS.sub(lambda m: NUMBER.sub(_rounded, m[0]), svg)
    return re.sub(r"\n\s+", "\n", svg)


def _rounded(number: re.Match[str]) -> str:
    return f"{round(float(number[0]), 2) + 0.0:.2f}".rstrip("0").rstrip(".")  # adding 0 takes the sign of -0
