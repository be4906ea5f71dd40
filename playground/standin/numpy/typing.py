"""Types of arguments, which nothing looks at here."""

from typing import Any

ArrayLike = NDArray = Any
