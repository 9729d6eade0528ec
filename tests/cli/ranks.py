"""Several ranks: reductions, races, faults and host memory; ranks that are killed; bankruns that are not of the run."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

bankrun, build = os.environ["BANKRUN"], os.environ["BANKRUN_BUILD"]
SKIPPED = 77
problems = []

SOURCE = r"""
#include <cstdio>
#include <cstdlib>
#include <cstring>
__global__ void plain(unsigned *out, int rounds) {
    __shared__ unsigned tile[128];
    unsigned v = threadIdx.x;
    for (int r = 0; r < rounds; r++) {
        tile[threadIdx.x * 2 % 128] = v;
        __syncthreads();
        v = v * 3 + tile[(threadIdx.x + r) % 128];
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
__global__ void sums(unsigned long long *out) { atomicAdd(out + blockIdx.x % 3, (unsigned long long)threadIdx.x); }
__global__ void least(int *out) { atomicMin(out + threadIdx.x, -(int)blockIdx.x); }
__global__ void most(unsigned *out) { atomicMax(out + threadIdx.x, blockIdx.x); }
__global__ void bits(unsigned *out) { atomicOr(out + threadIdx.x, 1u << blockIdx.x % 32); }
__global__ void masks(unsigned *out) { atomicAnd(out + threadIdx.x, ~(1u << blockIdx.x % 31)); }
__global__ void flips(unsigned *out) { atomicXor(out + threadIdx.x, blockIdx.x); }
__global__ void both(unsigned *out) { out[1024 + blockIdx.x] = 7; atomicAdd(out + threadIdx.x, 1u); }
__global__ void tickets(unsigned *out) { unsigned n = atomicAdd(out, 1u); out[1 + n % 2048] = blockIdx.x; }
__global__ void floats(float *out) { atomicAdd(out, 0.1f * blockIdx.x); }
__global__ void racing(unsigned *out) { out[threadIdx.x] = blockIdx.x; }
__global__ void disagree(unsigned *out) {
    if (blockIdx.x % 2)
        out[5] = blockIdx.x; // the odd ones
    else
        ((unsigned short *)out)[10] = blockIdx.x; // the even ones
}
__global__ void same(unsigned *out) { out[threadIdx.x] = 5; }
__global__ void falls(unsigned *out) { out[blockIdx.x == 77 ? 1u << 28 : blockIdx.x] = 1; }
__global__ void looks(unsigned *out, cudaTextureObject_t texture) { out[blockIdx.x * blockDim.x + threadIdx.x] = tex1Dfetch<unsigned>(texture, threadIdx.x); }
__global__ void bytes(unsigned char *out) { out[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x; }
int main(int argc, char **argv) {
    const char *what = argv[1];
    const int n = 1 << 16;
    unsigned *memory, *host = (unsigned *)malloc(n * 4);
    if (!strcmp(what, "managed")) cudaMallocManaged(&memory, n * 4);
    else if (!strcmp(what, "mapped")) cudaMallocHost(&memory, n * 4);
    else cudaMalloc(&memory, n * 4);
    cudaMemset(memory, 0, n * 4);
    for (int again = 0; again < 2; again++) {
        if (!strcmp(what, "sums")) sums<<<300, 64>>>((unsigned long long *)memory);
        else if (!strcmp(what, "least")) least<<<300, 64>>>((int *)memory);
        else if (!strcmp(what, "most")) most<<<300, 64>>>(memory);
        else if (!strcmp(what, "bits")) bits<<<300, 64>>>(memory);
        else if (!strcmp(what, "masks")) { if (!again) cudaMemset(memory, 255, n * 4); masks<<<300, 64>>>(memory); }
        else if (!strcmp(what, "flips")) flips<<<300, 64>>>(memory);
        else if (!strcmp(what, "both")) both<<<300, 64>>>(memory);
        else if (!strcmp(what, "tickets")) tickets<<<300, 64>>>(memory);
        else if (!strcmp(what, "floats")) floats<<<300, 64>>>((float *)memory);
        else if (!strcmp(what, "racing")) racing<<<300, 64>>>(memory);
        else if (!strcmp(what, "disagree")) disagree<<<300, 64>>>(memory);
        else if (!strcmp(what, "same")) same<<<300, 64>>>(memory);
        else if (!strcmp(what, "falls")) falls<<<300, 64>>>(memory);
        else if (!strcmp(what, "looks")) {
            cudaResourceDesc of = {};
            cudaTextureDesc how = {};
            cudaTextureObject_t texture;
            of.resType = cudaResourceTypeLinear;
            of.res.linear.devPtr = memory + n / 2;
            of.res.linear.desc = cudaCreateChannelDesc<unsigned>();
            of.res.linear.sizeInBytes = 4096;
            cudaCreateTextureObject(&texture, &of, &how, NULL);
            looks<<<300, 64>>>(memory, texture);
        }
        else if (!strcmp(what, "bytes")) bytes<<<300, 33>>>((unsigned char *)memory);
        else plain<<<300, 64>>>(memory, argc > 2 ? atoi(argv[2]) : 20);
        cudaDeviceSynchronize();
    }
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, memory, n * 4, cudaMemcpyDeviceToHost);
    unsigned long long sum = 0;
    if (strcmp(what, "racing") && strcmp(what, "disagree")) for (int i = 0; i < n; i++) sum = sum * 31 + host[i];
    printf("%llu\n", sum);
}
"""



def line(words):
    return next(number for number, text in enumerate(SOURCE.split("\n"), 1) if words in text)


# What is shared out, and what not, in the words of --ranks.
SHARED = ("plain", "sums", "least", "most", "bits", "masks", "flips", "same", "bytes")
ALONE = {"both": "changed one word, by atomics and perhaps by stores: ranks.cu:", "tickets": "see how far others are", "floats": "see how far others are",
         "racing": f"race between blocks (bankrun check --check race): ranks.cu:{line('void racing')} in block 0 and "
                   f"ranks.cu:{line('void racing')} in block 299",
         "disagree": f"ranks.cu:{line('the even ones')} in block 0 and ranks.cu:{line('the odd ones')} in block 1", "looks": "it reads textures", "falls": "faulted", "managed": "memory that the host sees",
         "mapped": "memory that the host sees"}

environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", BANKRUN_RANKS_ALL="1")

# Without the first three words it dies of SIGPIPE now and then, when all is done (tests/harness/ranks.py).
MPIRUN = ["env", "--ignore-signal=PIPE", "mpirun", "--oversubscribe", "--quiet"]


def command(ranks, profile, program, *arguments, options=()):
    start = [*MPIRUN, "-n", str(ranks)] if ranks else []
    return [*start, bankrun, "--ranks", "--format", "json", "-o", profile, *options, program, *arguments]


def read(path):
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        return re.sub(r"0x[0-9a-f]{12}\b", "ADDRESS", file.read())


def compare(folder, program, what, ranks):
    """Output, status and profile are those of one process, and --ranks says what was shared out."""
    seen = []
    for count in 0, ranks:
        profile = os.path.join(folder, f"{what}{count}.json")
        # Behind a fault, how many blocks have begun depends on the threads.
        run = subprocess.run(command(count, profile, program, what,
                                     options=["--threads", "1"] if what == "falls" else []), env=environment, capture_output=True, text=True,
                             timeout=120)
        seen.append((run.returncode, re.sub(r"0x[0-9a-f]{12}\b", "ADDRESS", run.stdout), read(profile), run.stderr))
    for name, one, more in zip(("status", "output", "profile"), *seen):
        if one != more:
            problems.append(f"{what} on {ranks} ranks: another {name} than on one")
    shared = re.search(r"^Ranks: (\d+) launches were shared out", seen[1][3], re.M)
    words = ALONE.get(what)
    if not shared or (int(shared[1]) > 0) != (words is None) or (words and words not in seen[1][3]):
        problems.append(f"{what} on {ranks} ranks: unexpected report\n{seen[1][3]}")


def children(pid):
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", encoding="utf-8") as file:
                    words = file.read().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(words[1]) == pid and words[0] != "Z":
                found.append(int(name))
    return sorted(found)


def kill(folder, program, victim, delay):
    """A rank dies: all ends within seconds, and unless it is the first one it is named and the profile is there."""
    profile = os.path.join(folder, f"killed{victim}.json")
    if os.path.exists(profile):
        os.remove(profile)
    # Some seconds of work for each, however many processors there are.
    with subprocess.Popen(command(3, profile, program, "plain", "200000", options=["--threads", "1"]),
                          env=dict(environment, BANKRUN_RANKS_PATIENCE="6"), stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True) as process:
        deadline = time.monotonic() + 20
        while len(children(process.pid)) < 3 and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(delay)
        ranks = children(process.pid)
        if len(ranks) < 3:
            problems.append(f"killing rank {victim}: the ranks did not begin")
            process.kill()
            return
        # mpirun starts them in their order
        os.kill(ranks[victim], signal.SIGKILL)
        begun = time.monotonic()
        try:
            text, _ = process.communicate(timeout=40)
        except subprocess.TimeoutExpired:
            # Open MPI 4.1's mpirun itself may wait for ever where a rank dies as it starts: no rank may be left.
            if children(process.pid):
                problems.append(f"rank {victim} was killed after {delay} s, and the run hangs")
            process.kill()
            return
    took = time.monotonic() - begun
    if took > 40 or process.returncode == 0:
        problems.append(f"rank {victim} was killed after {delay} s: status {process.returncode} after {took:.1f} s")
    if victim and delay >= 1 and f"rank {victim} was lost" not in text:
        problems.append(f"rank {victim} was killed after {delay} s, and is not named:\n{text}")
    if victim and delay >= 1 and not (read(profile) and json.loads(read(profile))["launches"]):
        problems.append(f"rank {victim} was killed after {delay} s, and nothing that was counted is kept")


PTX = """.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 out) {
    .reg .b32 %r<3>; .reg .b64 %d<4>;
    ld.param.u64 %d1, [out];
    mov.u32 %r1, %ctaid.x;
    mul.wide.u32 %d2, %r1, 4;
    add.u64 %d3, %d1, %d2;
    st.global.u32 [%d3], %r1;
    ret;
}
"""


def of_ptx(folder):
    """The launches of a .ptx file are run by rank 0 alone, and --ranks says so."""
    path, seen = os.path.join(folder, "k.ptx"), []
    with open(path, "w", encoding="utf-8") as file:
        file.write(PTX)
    for start in [], [*MPIRUN, "-n", "3"]:
        dump = os.path.join(folder, "out.bin")
        run = subprocess.run([*start, bankrun, "--ranks", path, "--launch", "k<<<64, 1>>>(out:u32[64])", "--dump", f"out={dump}"],
                             env=environment, capture_output=True, text=True, timeout=60)
        with open(dump, "rb") as file:
            seen.append((run.returncode, run.stdout, file.read()))
        os.remove(dump)
    if seen[0] != seen[1] or ".ptx file" not in run.stderr:
        problems.append(f"a .ptx file: status {run.returncode}\n{run.stdout}{run.stderr}")


def words_of_identity():
    """What ranks compare: the version, the processor, and the number of the messages (ranks/wire.c)."""
    with open(os.path.join(build, "bankrun"), "rb") as file:
        found = re.findall(rb"(\d+\.\d+\.\d+ (?:x86_64|aarch64|other) \d+)\0", file.read())
    return found[0].split(b" ") if found else [b"?", b"?"]


def other_build(folder, old, new):
    """A bankrun that says that it is of another version or processor: the word by which it does is another one."""
    with open(os.path.join(build, "bankrun"), "rb") as file:
        program = file.read()
    if program.count(old) != 1:
        return None
    own = os.path.join(folder, f"other{len(os.listdir(folder))}")
    os.mkdir(own)
    for name in os.listdir(build):
        if name.startswith("lib"):
            os.symlink(os.path.join(build, name), os.path.join(own, name))
    path = os.path.join(own, "bankrun")
    with open(path, "wb") as file:
        file.write(program.replace(old, new))
    os.chmod(path, 0o755)
    return path


def mixed(folder, program, old, new):
    """Ranks of two builds: nobody begins, and it is said why."""
    other = other_build(folder, old, new)
    if not other:
        problems.append(f"the word {old} is not in the program, or more than once")
        return
    for first, second in (bankrun, other), (other, bankrun):
        run = subprocess.run([*MPIRUN, "-n", "1", first, program, "plain", ":", "-n", "2", second, program,
                              "plain"], env=environment, capture_output=True, text=True, timeout=60)
        if run.returncode == 0 or "of another version of bankrun, or of another processor" not in run.stderr or "no error" in run.stdout:
            problems.append(f"ranks of two builds: status {run.returncode}\n{run.stdout}{run.stderr}")


def stopped_a_while(folder, program):
    """A rank that reads nothing for some seconds, with small buffers: the others wait, and all is well."""
    profile = os.path.join(folder, "slow.json")
    small = ["--mca", "btl", "tcp,self", "--mca", "btl_tcp_sndbuf", "4096", "--mca", "btl_tcp_rcvbuf", "4096"]
    # Some seconds of work for each, however many processors there are.
    words = command(3, profile, program, "plain", "120000", options=["--threads", "1"])
    with subprocess.Popen([*words[:3], *small, *words[3:]], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True) as process:
        deadline = time.monotonic() + 20
        while len(children(process.pid)) < 3 and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(1.5)
        ranks = children(process.pid)
        if len(ranks) == 3:
            os.kill(ranks[2], signal.SIGSTOP)
            time.sleep(4)
            os.kill(ranks[2], signal.SIGCONT)
        try:
            text, _ = process.communicate(timeout=100)
        except subprocess.TimeoutExpired:
            problems.append("a rank was stopped for 4 s, and the run hangs")
            process.kill()
            return
    if process.returncode or "no error" not in text or len(ranks) != 3:
        problems.append(f"a rank of {len(ranks)} was stopped for 4 s: status {process.returncode}\n{text}")


def main():
    if not shutil.which("mpirun") or not os.path.exists(os.path.join(build, "libbankrun-ranks.so")):
        print("mpirun or libbankrun-ranks.so is not there")
        return SKIPPED
    if not os.environ.get("BANKRUN_TEST_NVCC") or os.environ.get("BANKRUN_SANITIZER", "none") != "none":
        print("nvcc is not there, or a sanitizer is")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "ranks.cu"), os.path.join(folder, "ranks")
        with open(source, "w", encoding="utf-8") as file:
            file.write(SOURCE)
        subprocess.run([os.environ["BANKRUN_TEST_NVCC"], "-cudart", "shared", "-gencode",
                        "arch=compute_90,code=compute_90", "-lineinfo", "-o", program, source], check=True)
        for what in (*SHARED, *ALONE):
            compare(folder, program, what, 3)
        for ranks in 2, 8:
            compare(folder, program, "sums", ranks)
        for victim in range(3):
            for delay in 0.0, 0.3, 1.5:
                kill(folder, program, victim, delay)
        of_ptx(folder)
        stopped_a_while(folder, program)
        version = words_of_identity()
        for word in version[:1], version[1:2]:
            mixed(folder, program, b" ".join(version), b" ".join(version).replace(word[0], word[0][:-1] + b"7"))
        own = subprocess.run(command(2, os.path.join(folder, "own-%d.json"), program, "same",
                                     options=["--no-ranks"]), env=environment, capture_output=True, text=True, timeout=120)
        if own.stdout.count("no error") != 2:
            problems.append(f"--no-ranks: the program did not run once for each rank\n{own.stdout}{own.stderr}")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
