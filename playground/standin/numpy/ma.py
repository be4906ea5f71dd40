"""Masked arrays: there are none here."""

from __future__ import annotations

from numpy.array import ndarray


class MaskedArray(ndarray):
    """Type of masked arrays; nothing makes one."""


def is_masked(array: ndarray) -> bool:
    """Return whether entries are masked: never."""
    return False
