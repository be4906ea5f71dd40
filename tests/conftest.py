"""What tests share: where the robot files lie, and which there are."""

from __future__ import annotations

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"
"""Robot files and reference values beside the checkout; tests that need them skip where they are absent."""


def robot_files(folder: str, suffix: str = "urdf") -> list[Path]:
    """List the robot files of one folder of `SHARED`; empty where they are absent."""
    return sorted((SHARED / "robots" / folder).glob(f"*.{suffix}"))


def shared_file(*parts: str) -> Path:
    """Return a file of `SHARED`, or skip the test where it is absent."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"{'/'.join(parts)} is not here")
    return path
