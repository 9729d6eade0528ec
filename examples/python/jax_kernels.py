"""JAX (pip install 'jax[cuda12]'): a transpose, a softmax and a matrix product as XLA compiles them, and a transpose as a Pallas
kernel. Run it with: bankrun python jax_kernels.py"""

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas
from jax.experimental.pallas import triton

TILE = 32


@jax.jit
def transpose(x):
    return x.T + 1


@jax.jit
def softmax(x):
    return jax.nn.softmax(x, axis=1)


@jax.jit
def matmul(a, b):
    return a @ b


def turn(source, target):
    target[...] = source[...].T


@jax.jit
def pallas_transpose(x):
    n = x.shape[0]
    return pallas.pallas_call(turn, out_shape=jax.ShapeDtypeStruct((n, n), jnp.float32), grid=(n // TILE, n // TILE), name="turn",
                              in_specs=[pallas.BlockSpec((TILE, TILE), lambda i, j: (i, j))],
                              out_specs=pallas.BlockSpec((TILE, TILE), lambda i, j: (j, i)),
                              compiler_params=triton.CompilerParams(num_warps=4))(x)


def main():
    assert jax.default_backend() == "gpu", jax.default_backend()
    numbers = np.random.default_rng(1)
    a, b = (numbers.random((128, 128), dtype=np.float32) for _ in range(2))
    assert (np.asarray(transpose(a)) == a.T + 1).all()
    powers = np.exp(a - a.max(axis=1, keepdims=True))
    assert np.allclose(softmax(a), powers / powers.sum(axis=1, keepdims=True), rtol=1e-5)
    assert np.allclose(matmul(a, b), a @ b, rtol=1e-2)
    assert (np.asarray(pallas_transpose(a)) == a.T).all()
    print("jax: all right")


if __name__ == "__main__":
    main()
