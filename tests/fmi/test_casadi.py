"""CasADi's Jacobians, made of our directional derivatives, are the analytic ones."""

import math

import casadi
import numpy
import pytest


def jacobians(path, x, u):
    """∂(ẋ, y)/∂(x, u)."""
    builder = casadi.DaeBuilder("m", path)
    f = builder.create("f", ["x", "u"], ["ode", "y"])
    parts = f.factory("J", ["x", "u"], ["jac:ode:x", "jac:ode:u", "jac:y:x", "jac:y:u"])(x, u)
    a, b, c, d = (numpy.array(m) for m in parts)
    return builder.x(), numpy.block([[a, b], [c, d]])


@pytest.mark.parametrize("fmi", ["2", "3"])
def test_rlc(export, fmi):
    states, found = jacobians(export("RLC", "--fmi", fmi), [2.0, 0.5], 3.0)
    assert states == ["i", "v"]
    R, L, C = 10, 0.1, 1e-3
    expected = [[-R / L, -1 / L, 1 / L], [1 / C, 0, 0], [2 * R * 2.0, 0, 0]]
    numpy.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("fmi", ["2", "3"])
def test_motor(export, fmi):
    i, w, u = 3.0, 12.0, 20.0
    states, found = jacobians(export("Motor", "--fmi", fmi), [i, w], u)
    assert states == ["i", "w"]
    R, L0, k, isat, J, cf = 0.5, 0.05, 0.3, 8.0, 0.02, 1e-3
    phi = isat * math.tanh(i / isat)
    dphi = 1 - math.tanh(i / isat) ** 2
    inverse, dinverse = (1 + (i / isat) ** 2) / L0, 2 * i / isat**2 / L0
    voltage = u - R * i - k * phi * w
    dtau = k * (dphi * i + phi)
    expected = [
        [dinverse * voltage + inverse * (-R - k * dphi * w), -inverse * k * phi, inverse],
        [dtau / J, (-2 * cf * w - 0.01 * math.cos(w)) / J, 0],
        [dtau, 0, 0],
    ]
    numpy.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)
