"""Images of cameras in closed form, where no library is needed."""

from __future__ import annotations

import numpy as np
import pytest

from screwgraph.api.interop.gtsam.calibrations import CALIBRATIONS

FISHEYE = np.array([500.0, 510.0, 0.1, 320.0, 240.0, 0.1, 0.02, 0.003, 0.004])


@pytest.mark.parametrize("radius", [1e-7, 1e-4, 9.99e-4, 1.01e-3, 0.05, 0.1, 2.0])
def test_a_fisheye_bends_angles_from_the_axis(radius):
    """Kannala & Brandt (2006), equation 6; the centre of the image is on the axis."""
    x, y = radius * np.cos(0.7), radius * np.sin(0.7)
    angle = np.arctan(radius)
    bent = angle * (1.0 + FISHEYE[5:] @ angle ** np.array([2, 4, 6, 8]))
    u, v = bent * x / radius, bent * y / radius
    fx, fy, skew, u0, v0 = FISHEYE[:5]
    found = np.asarray(CALIBRATIONS["Cal3Fisheye"].image(FISHEYE, x, y), dtype=float)
    np.testing.assert_allclose(found - [u0, v0], [fx * u + skew * v, fy * v], rtol=1e-10, atol=2e-13 * u0)
    np.testing.assert_allclose(np.asarray(CALIBRATIONS["Cal3Fisheye"].image(FISHEYE, 0.0, 0.0)), [u0, v0], rtol=1e-15)
