"""Packages that only extras of ours install, imported when they are first needed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from screwgraph.base.errors import InputError


def extra_module(module: str, name: str, install: str = "") -> Any:
    """Return the module that the extra of the same name installs, or else `install`; `name` is what people call it.

    Raises:
        InputError: it is not installed.
    """
    try:
        return import_module(module)
    except ImportError:
        raise InputError(
            f"{name} is not installed", fix=f"pip install {install or repr(f'screwgraph[{module}]')}"
        ) from None
