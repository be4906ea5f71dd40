"""Constants of sines and cosines: parts of pi/2 (Cody & Waite, 1980), minimax polynomials on [-pi/4, pi/4]."""

from __future__ import annotations

from dataclasses import dataclass

TWO_OVER_PI = 0.63661977236758134308


@dataclass(frozen=True)
class SincosConstants:
    """`round`: adding it rounds a number to an integer, which then stands in its low bits; `half_pi`: parts, to add."""

    round: float
    half_pi: tuple[float, float, float]
    sine: tuple[float, ...]
    cosine: tuple[float, ...]


SINCOS = {
    64: SincosConstants(
        1.5 * 2.0**52,
        (1.57079632673412561417e00, 6.07710050630396597660e-11, 2.02226624879595063154e-21),
        (
            -1.66666666666666324348e-01,
            8.33333333332248946124e-03,
            -1.98412698298579493134e-04,
            2.75573137070700676789e-06,
            -2.50507602534068634195e-08,
            1.58969099521155010221e-10,
        ),
        (
            4.16666666666666019037e-02,
            -1.38888888888741095749e-03,
            2.48015872894767294178e-05,
            -2.75573143513906633035e-07,
            2.08757232129817482790e-09,
            -1.13596475577881948265e-11,
        ),
    ),
    32: SincosConstants(
        1.5 * 2.0**23,
        (1.5707963705062866, -4.371138828673793e-08, -1.7151245100058819e-15),
        (-0.16666654138983694, 0.008332130545360522, -0.0001951112574281204),
        (0.04166664485349047, -0.0013887275250434486, 2.4428406856842928e-05),
    ),
}
"""By the size of a number in bits."""
