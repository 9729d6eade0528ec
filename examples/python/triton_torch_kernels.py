"""Triton on tensors of PyTorch (pip install torch): a matrix product, and a softmax with a gradient of its own, which PyTorch's
autograd calls. Run it with: bankrun python triton_torch_kernels.py"""

import torch
import triton
import triton.language as tl


@triton.jit
def matmul(a, b, c, n, TILE: tl.constexpr):
    row = tl.program_id(0) * TILE + tl.arange(0, TILE)
    column = tl.program_id(1) * TILE + tl.arange(0, TILE)
    inner = tl.arange(0, TILE)
    total = tl.zeros((TILE, TILE), dtype=tl.float32)
    for k in range(0, n, TILE):
        left = tl.load(a + row[:, None] * n + (k + inner)[None, :])
        right = tl.load(b + (k + inner)[:, None] * n + column[None, :])
        total = tl.dot(left, right, total)
    tl.store(c + row[:, None] * n + column[None, :], total)


@triton.jit
def softmax(source, target, n, WIDTH: tl.constexpr):
    """A program for each row."""
    at = tl.program_id(0) * n + tl.arange(0, WIDTH)
    is_in_row = tl.arange(0, WIDTH) < n
    row = tl.load(source + at, mask=is_in_row, other=-float("inf"))
    powers = tl.exp(row - tl.max(row, axis=0))
    tl.store(target + at, powers / tl.sum(powers, axis=0), mask=is_in_row)


@triton.jit
def softmax_backward(made, given, target, n, WIDTH: tl.constexpr):
    at = tl.program_id(0) * n + tl.arange(0, WIDTH)
    is_in_row = tl.arange(0, WIDTH) < n
    shares = tl.load(made + at, mask=is_in_row, other=0)
    slopes = tl.load(given + at, mask=is_in_row, other=0)
    tl.store(target + at, shares * (slopes - tl.sum(shares * slopes, axis=0)), mask=is_in_row)


class Softmax(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        made = torch.empty_like(x)
        softmax[(x.shape[0],)](x, made, x.shape[1], WIDTH=triton.next_power_of_2(x.shape[1]))
        context.save_for_backward(made)
        return made

    @staticmethod
    def backward(context, given):
        (made,) = context.saved_tensors
        slopes = torch.empty_like(made)
        softmax_backward[(made.shape[0],)](made, given, slopes, made.shape[1], WIDTH=triton.next_power_of_2(made.shape[1]))
        return slopes


def main():
    """PyTorch's own kernels are machine code: what is compared is computed on the CPU."""
    numbers = torch.Generator().manual_seed(1)
    a, b, x, given = (torch.randn(shape, generator=numbers) for shape in ((128, 128), (128, 128), (64, 200), (64, 200)))
    made = torch.empty(128, 128, device="cuda")
    matmul[(2, 2)](a.half().cuda(), b.half().cuda(), made, 128, TILE=64)
    torch.testing.assert_close(made.cpu(), a.half().float() @ b.half().float(), rtol=1e-3, atol=1e-3)

    there = x.cuda().requires_grad_()
    made = Softmax.apply(there)
    made.backward(given.cuda())  # by another thread
    here = x.clone().requires_grad_()
    torch.softmax(here, 1).backward(given)
    torch.testing.assert_close(made.detach().cpu(), torch.softmax(x, 1))
    torch.testing.assert_close(there.grad.cpu(), here.grad)
    print("triton on tensors of torch: all right")


if __name__ == "__main__":
    main()
