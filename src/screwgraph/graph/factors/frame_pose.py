"""Poses of frames on links."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from screwgraph.graph.factor import factor
from screwgraph.spatial import Array, from_rows, to_rows


@factor(
    linear=("T_frame",),
    cites="Lynch & Park (3.65)",
    solved={"T_frame": lambda n: f"T{n['i']} T{n['i']},frame"},
)
def frame_pose(
    T_frame: Float[Array, "12"], T_link: Float[Array, "12"], *, T: Float[np.ndarray, "4 4"]
) -> Float[Array, "12"]:
    """The frame, at T in the link, is carried by it; both in the base's frame, three rows one by one."""
    return T_frame - to_rows(from_rows(T_link) @ T)
