"""Random least-squares systems of many structures, beside their dense matrices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from screwgraph.optimize.linear import Pattern

METHODS = ("auto", "dense", "chain", "arrow", "tree", "sparse")


@dataclass(frozen=True)
class Example:
    """A pattern with values, the dense matrix `K` of them, and the number of soft and hard rows."""

    pattern: Pattern
    values: np.ndarray
    K: np.ndarray


def example(
    sizes: Sequence[int],
    factors: Sequence[Sequence[int]],
    hard: Sequence[tuple[Sequence[int], int]] = (),
    seed: int = 0,
) -> Example:
    """Make J^T J of a random factor for each tuple of blocks, and random constraints (blocks, rows)."""
    rng = np.random.default_rng(seed)
    all_sizes = np.array([*sizes, *(count for _, count in hard)])
    starts = np.concatenate([[0], np.cumsum(all_sizes)])
    places: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    for blocks in factors:
        at = np.concatenate([np.arange(starts[b], starts[b + 1]) for b in blocks])
        J = rng.standard_normal((at.size + 1, at.size))
        a, b = np.tril_indices(at.size)
        places.append((np.maximum(at[a], at[b]), np.minimum(at[a], at[b]), (J.T @ J)[a, b]))
    for k, (blocks, count) in enumerate(hard):
        at = np.concatenate([np.arange(starts[b], starts[b + 1]) for b in blocks])
        rows = np.repeat(np.arange(count) + starts[len(sizes) + k], at.size)
        places.append((rows, np.tile(at, count), rng.standard_normal(rows.size)))
    rows, cols, values = (np.concatenate(parts) for parts in zip(*places, strict=True))
    pattern = Pattern(all_sizes, rows.astype(int), cols.astype(int), len(hard))
    K = np.zeros((pattern.count, pattern.count))
    np.add.at(K, (rows.astype(int), cols.astype(int)), values)
    return Example(pattern, values, K + np.tril(K, -1).T)


def chain(count: int, family_sizes: Sequence[int], seed: int = 0, shared: Sequence[int] = ()) -> Example:
    """Make `count` steps of one block of each family, numbered family by family, and blocks that all steps share."""
    sizes = [size for size in family_sizes for _ in range(count)] + list(shared)
    families, last = range(len(family_sizes)), range(len(family_sizes) * count, len(sizes))
    factors = [[f * count + i + o for f in families for o in (0, 1)] + [*last] for i in range(count - 1)]
    factors += [[f * count] for f in families] + [[b] for b in last]
    return example(sizes, factors, seed=seed)


def random_structure(seed: int) -> Example:
    """Make up to 50 blocks of unequal sizes: disconnected chains, with loops or shared blocks here and there."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 51))
    sizes = rng.integers(1, 7, count)
    label = rng.permutation(count)
    factors = [[b] for b in range(count)]
    factors += [[int(label[i]), int(label[i + 1])] for i in range(count - 1) if rng.random() < 0.9]
    factors += [[int(label[i]), int(label[i + 2])] for i in range(count - 2) if rng.random() < 0.3]
    if rng.random() < 0.3 and count > 3:
        factors += [[int(label[0]), int(label[i])] for i in range(1, count)]
    if rng.random() < 0.3 and count > 3:
        factors += [[int(a), int(b)] for a, b in rng.integers(0, count, (5, 2)) if a != b]
    return example(sizes.tolist(), factors, seed=seed)


def constrained(count: int, size: int, seed: int = 0, within: int = 2, between: int = 1) -> Example:
    """Make a chain with hard rows within every step, and between every step and the next."""
    factors = [[i, i + 1] for i in range(count - 1)]
    hard: list[tuple[Sequence[int], int]] = [([i], within) for i in range(count)]
    hard += [([i, i + 1], between) for i in range(count - 1)]
    return example([size] * count, factors, hard, seed)
