"""tinygrad (pip install tinygrad numpy), with NVRTC: what it makes of a transpose, a softmax and a matrix product. Run it with:
DEV=CUDA bankrun python tinygrad_kernels.py"""

import numpy as np
from tinygrad import Tensor


def main():
    numbers = np.random.default_rng(1)
    a, b = (numbers.random((128, 128), dtype=np.float32) for _ in range(2))
    there, other = Tensor(a, device="CUDA"), Tensor(b, device="CUDA")
    assert (there.T.contiguous().numpy() == a.T).all()
    powers = np.exp(a - a.max(axis=1, keepdims=True))
    assert np.allclose(there.softmax().numpy(), powers / powers.sum(axis=1, keepdims=True), rtol=1e-5)
    assert np.allclose((there @ other).numpy(), a @ b, rtol=1e-4)
    print("tinygrad: all right")


if __name__ == "__main__":
    main()
