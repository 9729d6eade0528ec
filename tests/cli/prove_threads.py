"""What is proved does not depend on how many threads prove it; a module of 1,000 accesses to shared memory."""

import os
import resource
import subprocess
import tempfile

BANKRUN = os.environ.get("BANKRUN", "build/bankrun")
KERNELS, STEPS = 20, 25  # of each step two accesses: 1,000 of the module
MOST_SECONDS = 20  # of a processor, in a build of whatever kind: many times what it takes

HEAD = """.version 8.0
.target sm_90
.address_size 64
"""

# Tiles with and without padding, rows by a loop's number, guards by a parameter, one barrier each.
KERNEL = """.visible .entry k{n}(.param .u32 k{n}_n, .param .u64 k{n}_out)
{{
    .reg .pred %p<{preds}>;
    .reg .b32 %r<{regs}>;
    .shared .align 4 .b8 tile{n}[{bytes}];
    ld.param.u32 %r1, [k{n}_n];
    mov.u32 %r2, %tid.x;
    mov.u32 %r3, tile{n};
    and.b32 %r4, %r2, 31;
    shr.u32 %r5, %r2, 5;
    mov.u32 %r6, 0;
L{n}:
{steps}
    add.s32 %r6, %r6, 1;
    setp.lt.s32 %p1, %r6, %r1;
    @%p1 bra L{n};
    ret;
}}
"""

STEP = """    mad.lo.s32 %r{a}, %r{x}, {pitch}, %r{y};
    shl.b32 %r{b}, %r{a}, 2;
    add.s32 %r{c}, %r3, %r{b};
    st.shared.u32 [%r{c}+{offset}], %r2;
    bar.sync 0;
    mad.lo.s32 %r{d}, %r{y}, {pitch}, %r{x};
    shl.b32 %r{e}, %r{d}, 2;
    add.s32 %r{f}, %r3, %r{e};
    setp.lt.s32 %p{p}, %r{d}, %r1;
    @%p{p} ld.shared.u32 %r{g}, [%r{f}+{offset}];
    bar.sync 0;
"""


def step(i, pitch):
    names = dict(zip("abcdefg", range(10 + 7 * i, 17 + 7 * i)))
    x, y = (4, 5) if i % 2 else (5, 4)
    return STEP.format(x=x, y=y, pitch=pitch, p=2 + i, offset=4 * i, **names)


def module():
    kernels = []
    for n in range(KERNELS):
        pitch = 32 + n % 3
        steps = "".join(step(i, pitch) for i in range(STEPS))
        kernels.append(KERNEL.format(n=n, steps=steps, preds=2 + STEPS, regs=10 + 7 * STEPS, bytes=4 * 34 * 32 + 4 * STEPS))
    return HEAD + "".join(kernels)


def prove(file, threads, form):
    return subprocess.run([BANKRUN, "prove", "--verbose", "--threads", str(threads), "--format", form, file],
                          check=True, stdout=subprocess.PIPE, timeout=300).stdout


def main():
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "module.ptx")
        with open(file, "w", encoding="utf-8") as out:
            out.write(module())
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        alone = prove(file, 1, "text")
        seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        assert alone.count(b"st.shared.u32") >= KERNELS and b"32-way" in alone and b"free of races" in alone, alone[:3000]
        for threads in 2, 7:
            assert prove(file, threads, "text") == alone, threads
        assert prove(file, 5, "json") == prove(file, 1, "json")
    assert seconds < MOST_SECONDS, seconds
    print(f"{KERNELS * STEPS * 2} accesses: {seconds:.2f} s of a processor")


if __name__ == "__main__":
    main()
