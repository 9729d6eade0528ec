"""bankrun fix never makes a wrong source: random kernels are mended on one input, and must do on
others what they did before.

    tests/cli/fix_random.py [FIRST [FILES]]    FILES sources of six kernels each, from seed FIRST on

Prints how many arrays were mended and how many left as they are.
"""

import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

BANKRUN = os.environ.get("BANKRUN", "build/bankrun")
KERNELS = 6
INPUTS = (("1", "3"), ("5", "2"), ("12", "31"), ("0", "0"))
TYPES = {"int": 4, "float": 4, "double": 8, "short": 2, "unsigned char": 1, "long long": 8}


class Kernel:
    """One shared array: filled, changed by its owners, read anywhere within its extents."""

    def __init__(self, rng, number):
        self.rng, self.number = rng, number
        self.type = rng.choice(list(TYPES) + ["int", "float", "float"])
        rank = rng.choice((1, 1, 2, 2, 2, 3))
        self.extents = [rng.choice((2, 3, 4))] * (rank == 3)
        self.extents += [rng.choice((8, 16, 32, 24))] * (rank >= 2)
        self.extents += [rng.choice((16, 32, 64, 40, 32, 32))] if rank > 1 else [rng.choice((512, 1024, 768))]
        self.elements = 1
        for extent in self.extents:
            self.elements *= extent
        self.threads = rng.choice((32, 64, 128, 256))
        self.name = rng.choice(("tile", "s", "shared_data", "T_"))
        self.is_dynamic = rank == 1 and rng.random() < 0.2
        if self.is_dynamic:  # which one file declares with one type alone
            self.name += str(number)
        self.spelling = rng.choice(("number", "macro", "constant", "sum", "template"))

    def number_text(self, value):
        """How the last extent is written."""
        return {"number": str(value), "macro": f"N{self.number}", "constant": f"C{self.number}",
                "sum": f"{value - 1} + 1", "template": "N"}[self.spelling]

    def index(self, text, extent):
        """Within the extent, whatever the text is."""
        return f"({text}) % {extent}u"

    def expression(self):
        t, rng = "t", self.rng
        choices = (t, f"{t} * {rng.choice((2, 4, 8, 16, 32))}", f"{t} / 32", f"{t} % 32", f"{t} % 32 * 32 + {t} / 32",
                   "p", f"{t} + p", f"{t} * p", f"{t} ^ q", "k", f"k * {rng.choice((2, 32))} + {t}", f"{t} * 33",
                   f"({t} & 15) * 16 + {t} / 16", f"{t} * {t} + q")
        return rng.choice(choices)

    def place(self):
        """The array with indices, each within its extent."""
        rng = self.rng
        if len(self.extents) == 1:
            inside = [self.index(self.expression(), self.elements)]
        else:
            inside = [self.index(self.expression(), extent) for extent in self.extents]
        space = rng.choice(("", "", " ", " /* [0] */ "))
        return self.name + space + "".join(f"[{i}]" for i in inside)

    def flat(self, text):
        """The element of that number."""
        inside, rest = [], self.elements
        for extent in self.extents:
            rest //= extent
            inside.append(f"({text}) / {rest} % {extent}" if rest > 1 else f"({text}) % {extent}")
        return self.name + "".join(f"[{i}]" for i in inside)

    def declaration(self):
        rng = self.rng
        if self.is_dynamic:
            return f"extern __shared__ {self.type} {self.name}[];"
        inside = "".join(f"[{extent}]" for extent in self.extents[:-1])
        inside += f"[{self.number_text(self.extents[-1])}]"
        before = rng.choice(("__shared__ ", "__shared__ __align__(16) ", "static __shared__ ", "__shared__ volatile "))
        other = rng.choice(("", "", f", other[{self.threads}]"))
        return f"{before}{self.type} {self.name}{inside}{other};" + (" other[t] = 0;" if other else "")

    def use(self):
        """A statement that reads; sometimes in a way that must not be edited."""
        rng, place = self.rng, self.place()
        plain = (f"sum += {place};", f"sum += {place} * 2 + (k ? {self.place()} : 0);",
                 f"{{ {self.type} x = {place}; sum += x; }}", f"sum += ({place});",
                 f"for (unsigned i = 0; i < 3; i++)\n            sum += {place.replace('(k', '(i + k', 1)};",
                 f"sum -= -{place}; // {self.name}[0]")
        odd = (f"{{ const volatile {self.type} *x = &{self.flat('q')}; sum += x[0]; }}",
               f"sum += sizeof({self.name});" if not self.is_dynamic else "sum += 1;",
               f"sum += *(const volatile {self.type} *)&{place};",
               "{ unsigned j = p; sum += " + self.flat("j++") + "; }")
        return rng.choice(odd) if rng.random() < 0.12 else rng.choice(plain)

    def text(self):
        n, rng = self.number, self.rng
        last = self.extents[-1]
        lines = []
        if self.spelling == "macro":
            lines.append(f"#define N{n} {last}")
        elif self.spelling == "constant":
            lines.append(f"constexpr int C{n} = {last};")
        elif self.spelling == "template":
            lines.append("template <int N>")
        lines += [f"__global__ void kernel{n}(double *out, unsigned p, unsigned q) {{",
                  "    const unsigned t = threadIdx.x;", "    double sum = 0;", "    " + self.declaration(),
                  f"    for (unsigned i = t; i < {self.elements}; i += {self.threads})",
                  f"        {self.flat('i')} = ({self.type})(i * 37 % 113);", "    __syncthreads();",
                  f"    for (unsigned k = 0; k < {rng.choice((1, 2, 4))}; k++) {{"]
        lines += ["        " + self.use() for _ in range(rng.choice((1, 2, 3)))]
        lines += ["    }", "    __syncthreads();"]
        if rng.random() < 0.5:
            lines += [f"    {self.flat('t')} += ({self.type})(p & 3);", "    __syncthreads();",
                      f"    sum += {self.place().replace('(k', '(q')};"]
        lines += ["    out[blockIdx.x * blockDim.x + t] = sum;", "}"]
        return "\n".join(lines)

    def launch(self):
        name = f"kernel{self.number}" + (f"<{self.extents[-1]}>" if self.spelling == "template" else "")
        more = f", {self.elements * TYPES[self.type]}" if self.is_dynamic else ""
        return f"    {name}<<<2, {self.threads}{more}>>>(out, p, q), show(out);"


def source(seed):
    rng = random.Random(seed)
    kernels = [Kernel(rng, n) for n in range(KERNELS)]
    return "\n".join(["#include <cstdio>", "#include <cstdlib>", "", *(k.text() + "\n" for k in kernels), """static void show(double *out) {
    static double host[512];
    double sum = 0;
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 512; i++)
        sum += host[i] * (i % 17 + 1);
    std::printf("%.17g\\n", sum);
    cudaMemset(out, 0, sizeof host);
}

int main(int, char **argv) {
    const unsigned p = std::atoi(argv[1]), q = std::atoi(argv[2]);
    double *out;
    cudaMalloc(&out, 512 * sizeof *out);
    cudaMemset(out, 0, 512 * sizeof *out);""", *(k.launch() for k in kernels), "}", ""])


def run(*words):
    return subprocess.run([BANKRUN, *words], capture_output=True, text=True, check=False, timeout=900)


def try_seed(seed, folder):
    """(mended, left as they are, problem)"""
    path = os.path.join(folder, f"random{seed}.cu")
    fixed = os.path.join(folder, f"fixed{seed}.cu")
    with open(path, "w", encoding="utf-8") as file:
        file.write(source(seed))
    process = run("fix", "--no-check", path, *INPUTS[0])
    counts = (process.stderr.count(" is mended: "), process.stderr.count(" is left as it is: "))
    if process.returncode not in (0, 1) or (not sum(counts) and "no array" not in process.stderr):
        return *counts, f"seed {seed}: status {process.returncode}: {process.stderr[-800:]}"
    if not process.stdout:
        return *counts, None
    shutil.copy(path, fixed)
    subprocess.run(["patch", "--quiet", fixed], input=process.stdout.encode(), check=True)
    for words in INPUTS:
        old, new = (run("run", "--quiet", "--no-count", p, *words) for p in (path, fixed))
        if (old.returncode, old.stdout) != (new.returncode, new.stdout) or not old.stdout:
            return *counts, f"seed {seed}, input {words}: other results\n{process.stdout}"
    return *counts, None


def main():
    first, files = (int(w) for w in (sys.argv[1:] + ["1", "1"][len(sys.argv) - 1:])[:2])
    if not shutil.which("nvcc"):
        print("nvcc is not there")
        return 77
    mended = left = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + files):
            more, less, problem = try_seed(seed, folder)
            mended, left, failed = mended + more, left + less, failed + bool(problem)
            if problem:
                print(problem)
            if files > 1:
                print(f"seed {seed}: {mended} mended, {left} left", flush=True)
    print(f"{files * KERNELS} kernels: {mended} arrays mended, {left} left as they are")
    return int(failed > 0 or mended == 0)


sys.exit(main())
