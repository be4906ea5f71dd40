"""Names of vectors in a memory."""

import pytest

from screwgraph.tape import Memory


def test_a_name_is_that_of_one_vector():
    memory = Memory()
    assert memory.add("x", 3) == range(3)
    memory.alias("first of x", range(1))
    for name in ("x", "first of x"):
        with pytest.raises(ValueError, match=f"two vectors of a memory are called '{name}'"):
            memory.add(name, 1)
    assert memory.size == 3
