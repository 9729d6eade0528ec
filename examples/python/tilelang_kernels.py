"""tilelang (pip install tilelang): own kernels on tensors of PyTorch. Run it with: bankrun python tilelang_kernels.py"""

import tilelang
import tilelang.language as T
import torch

N = 128


@tilelang.jit
def transpose(pad):
    @T.prim_func
    def transpose_kernel(source: T.Tensor((N, N), "float32"), target: T.Tensor((N, N), "float32")):
        with T.Kernel(N // 32, N // 32, threads=1024) as (bx, by):
            tile = T.alloc_shared((32, 32 + pad), "float32", scope="shared")
            T.annotate_layout({tile: tilelang.layout.make_linear_layout(tile)})
            t = T.get_thread_binding()
            tile[t // 32, t % 32] = source[by * 32 + t // 32, bx * 32 + t % 32]
            T.sync_threads()
            target[bx * 32 + t // 32, by * 32 + t % 32] = tile[t % 32, t // 32]

    return transpose_kernel


@tilelang.jit
def softmax():
    @T.prim_func
    def softmax_kernel(source: T.Tensor((N, N), "float32"), target: T.Tensor((N, N), "float32")):
        with T.Kernel(N, threads=128) as row:
            power = T.alloc_fragment((1, N), "float32")
            most = T.alloc_fragment((1,), "float32")
            total = T.alloc_fragment((1,), "float32")
            T.copy(source[row, 0], power)
            T.reduce_max(power, most, dim=1)
            for i, j in T.Parallel(1, N):
                power[i, j] = T.exp(power[i, j] - most[i])
            T.reduce_sum(power, total, dim=1)
            for i, j in T.Parallel(1, N):
                power[i, j] = power[i, j] / total[i]
            T.copy(power, target[row, 0])

    return softmax_kernel


@tilelang.jit
def matmul():
    @T.prim_func
    def matmul_kernel(a: T.Tensor((N, N), "float16"), b: T.Tensor((N, N), "float16"), c: T.Tensor((N, N), "float32")):
        with T.Kernel(N // 64, N // 64, threads=128) as (bx, by):
            tile_a = T.alloc_shared((64, 32), "float16")
            tile_b = T.alloc_shared((32, 64), "float16")
            total = T.alloc_fragment((64, 64), "float32")
            T.clear(total)
            for k in T.Pipelined(N // 32, num_stages=2):
                T.copy(a[by * 64, k * 32], tile_a)
                T.copy(b[k * 32, bx * 64], tile_b)
                T.gemm(tile_a, tile_b, total)
            T.copy(total, c[by * 64, bx * 64])

    return matmul_kernel


def main():
    torch.manual_seed(1)
    a, b = torch.rand(N, N), torch.rand(N, N)
    there, made = a.cuda(), torch.empty(N, N).cuda()
    for pad in 0, 1:
        transpose(pad)(there, made)
        assert (made.cpu() == a.T).all()
    softmax()(there, made)
    assert torch.allclose(made.cpu(), torch.softmax(a, 1), rtol=1e-4)
    half_a, half_b = a.half(), b.half()
    matmul()(half_a.cuda(), half_b.cuda(), made)
    assert torch.allclose(made.cpu(), half_a.float() @ half_b.float(), rtol=1e-2)
    print("tilelang: all right")


if __name__ == "__main__":
    main()
