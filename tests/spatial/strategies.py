"""Random vectors and transforms for property tests."""

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from screwgraph.spatial import from_xyz_rpy

PROPERTY = settings(deadline=None, max_examples=50)

numbers = st.floats(-10.0, 10.0)
angles = st.floats(-np.pi, np.pi)


def vectors(size: int) -> st.SearchStrategy[np.ndarray]:
    return st.lists(numbers, min_size=size, max_size=size).map(np.array)


axes = vectors(3).filter(lambda a: np.linalg.norm(a) > 1e-3).map(lambda a: a / np.linalg.norm(a))
quaternions = vectors(4).filter(lambda q: np.linalg.norm(q) > 1e-3).map(lambda q: q / np.linalg.norm(q))
transforms = st.builds(from_xyz_rpy, vectors(3), st.tuples(angles, angles, angles).map(np.array))
