"""What tests of formats share: MuJoCo's compiler without an interpreter of its own."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.model.formats.forked_mujoco import forked


@pytest.fixture(scope="module")
def forked_mujoco() -> Iterator[None]:
    """Compile MJCF files in forks, where there are any: a thirtieth of the time."""
    if hasattr(os, "fork"):
        with forked():
            yield
    else:
        yield
