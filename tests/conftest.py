"""What tests share: where the robot files lie, and which there are; a cache of compiled code of their own."""

from __future__ import annotations

import os
from collections.abc import Iterator
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


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the user's cache of compiled code out of tests; the workers of a run share one that begins empty."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SCREWGRAPH_CACHE_DIR", str(folder / "compiled"))
        patch.delenv("SCREWGRAPH_CACHE", raising=False)
        patch.setenv("SCREWGRAPH_SEARCH_SECONDS", "0")
        yield
