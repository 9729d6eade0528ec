"""The stand-ins for nvcc, nvlink and fatbinary: how they come into a tool's place, what they ask of it and what they hand on. The
toolkit is one of shell scripts, which write down what they are asked; the last tests are with NVIDIA's nvcc, where it is there."""

import os
import shutil
import sys
import unittest

sys.path.insert(0, "tests")
sys.path.insert(0, "tests/cli")
from harness.folder import FolderCase, run  # noqa: E402
from standin import GOOD, HEAD, LOADER  # noqa: E402

BANKRUN = os.path.abspath(os.environ.get("BANKRUN", "build/bankrun"))
BUILD = os.path.abspath(os.environ.get("BANKRUN_BUILD", "build"))
NVCC = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
CARRIER = b"\x7fELF\x02\x01\x01\x41\x08bankrun"
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("NVCC_")}

# Writes its arguments down, and PTX where -o says or into the folder of -odir.
FAKE_NVCC = r"""#!/bin/sh
for word; do echo "$word" >>"$LOG"; done
while [ $# -gt 0 ]; do
    case $1 in -o) output=$2 ;; -odir) output=$2/k.ptx ;; esac
    shift
done
[ -z "$output" ] || cp "$PTX" "$output"
[ -z "$DEPENDENCIES" ] || echo "${output%.*}.o : k.cu" >"${output%.*}.d"
exit ${STATUS:-0}
"""
LOUD = '#!/bin/sh\necho "own $(basename "$0")" "$@"\n'

KERNEL = r"""
extern "C" __global__ void answer(int *out)
{
    __shared__ int tile[32];
    tile[threadIdx.x] = 42;
    out[0] = tile[0];
}
"""


class Case(FolderCase):
    def setUp(self):
        super().setUp()
        self.tools = os.path.join(self.folder, "toolkit", "bin")
        os.makedirs(self.tools)
        self.log = os.path.join(self.folder, "log")
        self.environment = {**ENVIRONMENT, "PATH": f"{self.tools}:{os.environ['PATH']}", "LOG": self.log,
                            "PTX": self.write("fake.ptx", GOOD), "XDG_CACHE_HOME": os.path.join(self.folder, "cache")}
        self.write("k.cu", KERNEL)

    def tool(self, name, text):
        path = os.path.join(self.tools, name)
        self.write(path, text)
        os.chmod(path, 0o755)
        return path

    def follow(self, *words, **variables):
        return run(BANKRUN, "--quiet", *words, cwd=self.folder, env={**self.environment, **variables})

    def shell(self, text, **variables):
        return self.follow("sh", "-c", text, **variables)

    def asked(self):
        with open(self.log, encoding="utf-8") as file:
            words = file.read().split("\n")[:-1]
        os.remove(self.log)
        return words

    def read(self, name):
        with open(os.path.join(self.folder, name), "rb") as file:
            return file.read()

    def has(self, name):
        return os.path.exists(os.path.join(self.folder, name))

    def load(self, how, name):
        done = self.follow(sys.executable, self.write("load.py", LOADER), how, name)
        self.assertIn("answer 42", done.stdout, done.stderr)


class Places(Case):
    """A stand-in takes a tool's place however it is started, and nowhere else."""

    def test_however_it_is_started(self):
        path = self.tool("nvcc", FAKE_NVCC)
        words = ["nvcc", "-cubin", "k.cu", "-o", "k.cubin"]
        for start in ("subprocess.run(words)", "subprocess.run(words, executable=path)", "os.spawnvp(os.P_WAIT, 'nvcc', words)",
                      "os.execv(path, words)", "os.execvp('nvcc', words)", "os.execve(path, words, os.environ)",
                      "os.waitpid(os.posix_spawn(path, words, os.environ), 0)", "os.waitpid(os.posix_spawnp('nvcc', words, os.environ), 0)",
                      "os.system(' '.join(words))", "subprocess.run(words, env=dict(os.environ))", "subprocess.run(words, close_fds=False)"):
            self.follow(sys.executable, "-c", f"import os, subprocess; path = {path!r}; words = {words}; {start}")
            self.assertEqual(self.read("k.cubin")[:16], CARRIER, start)
            self.assertIn("-ptx", self.asked(), start)
            os.remove(os.path.join(self.folder, "k.cubin"))

    def test_the_toolkit_is_found_where_it_is(self):
        path = self.tool("nvcc", FAKE_NVCC)
        done = self.follow(sys.executable, "-c", "import shutil; print(shutil.which('nvcc'))")
        self.assertEqual(done.stdout.strip(), path)

    def test_what_a_tool_starts_is_its_own(self):
        for name in ("ptxas", "fatbinary", "nvlink"):
            self.tool(name, LOUD)
        self.tool("nvcc", "#!/bin/sh\nptxas a; fatbinary b; sh -c 'nvlink c'\n")
        for command in ("nvcc --version", "nvcc -c k.cu"):
            self.assertEqual(self.shell(command).stdout, "own ptxas a\nown fatbinary b\nown nvlink c\n")

    def test_who_is_not_followed_has_the_tool(self):
        self.tool("ptxas", LOUD)
        self.assertIn("bankrun", self.shell("ptxas --version").stdout)
        self.assertEqual(self.shell("env -u LD_PRELOAD ptxas --version").stdout, "own ptxas --version\n")

    def test_a_tool_that_is_not_there_is_missing(self):
        done = self.follow(sys.executable, "-c", "import subprocess; subprocess.run(['/nowhere/nvcc', '-cubin', 'k.cu'])")
        self.assertIn("FileNotFoundError", done.stderr)
        self.assertEqual(self.shell("nvlink", PATH="/usr/bin:/bin").returncode, 127)

    def test_other_programs_of_the_name_in_a_folder_are_left_alone(self):
        os.mkdir(os.path.join(self.folder, "nvcc"))
        done = self.follow(sys.executable, "-c", f"import os; os.execv({self.folder + '/nvcc'!r}, ['nvcc'])")
        self.assertIn("PermissionError", done.stderr)

    def test_alone_it_says_what_it_is(self):
        for name in ("nvcc", "nvlink", "fatbinary"):
            done = run(os.path.join(BUILD, "standin", name), "x", env={"PATH": os.environ["PATH"]})
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"bankrun's stand-in for {name}", done.stderr)


class Nvcc(Case):
    def setUp(self):
        super().setUp()
        self.tool("nvcc", FAKE_NVCC)

    def test_a_cubin_is_a_carrier(self):
        for words, made in (("-cubin k.cu -arch=sm_80 -o x.cubin", "x.cubin"), ("--cubin -gencode arch=compute_80,code=sm_80 k.cu", "k.cubin"),
                            ("--cubin k.cu --output-file=y -code=sm_80 -arch compute_80", "y"), ("-cubin k.cu -odir . -arch=sm_80", "k.cubin")):
            done = self.shell("nvcc " + words)
            self.assertEqual(self.read(made)[:16], CARRIER, words + done.stderr)
            asked = self.asked()
            self.assertIn("-lineinfo", asked)
            self.assertIn("-ptx", asked)
            self.assertNotIn("-cubin", asked)
            self.load("file", made)
            os.remove(os.path.join(self.folder, made))
        self.assertEqual([name for name in os.listdir(self.folder) if name.endswith(".ptx")], ["fake.ptx"])

    def test_ptx_is_ptx(self):
        self.shell("nvcc -ptx k.cu -o x.ptx -DN=1 -I a -Xcompiler -cubin")
        self.assertEqual(self.read("x.ptx").decode(), GOOD)
        asked = self.asked()
        self.assertEqual(asked[:5], ["k.cu", "-DN=1", "-I", "a", "-Xcompiler"])
        self.shell("nvcc -ptx k.cu -o /dev/stdout >y.ptx")
        self.assertEqual(self.read("y.ptx").decode(), GOOD)

    def test_ptx_becomes_a_carrier(self):
        self.shell("nvcc -cubin -arch=sm_80 fake.ptx")
        self.load("file", "fake.cubin")
        self.assertFalse(os.path.exists(self.log))

    def test_programs_are_what_they_are_with_ptx_beside(self):
        self.shell("nvcc -c k.cu -gencode arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=[sm_90,compute_90] -o k.o")
        self.assertEqual(self.asked(), ["-c", "k.cu", "-lineinfo", "-gencode=arch=compute_80,code=[sm_80]",
                                        "-gencode=arch=compute_90,code=[sm_90,compute_90]", "-gencode=arch=compute_80,code=[compute_80]",
                                        "-o", "k.o"])
        self.shell("nvcc -shared -G k.cu -arch=sm_80")
        self.assertEqual(self.asked(), ["-shared", "-G", "k.cu", "-arch=sm_80"])
        self.shell("nvcc k.cu -arch=native", BANKRUN_ARCH="")
        self.assertIn("-arch=sm_90", self.asked())

    def test_what_is_none_of_ours_is_not_touched(self):
        for words in ("--version", "-E k.cu", "-dlink a.o -o b.o -arch=sm_80", "-M k.cu", "--dryrun -cubin k.cu",
                      "-cubin -gencode arch=compute_80,code=[sm_80,sm_90] k.cu", "-cubin -arch=compute_80 k.cu"):
            self.shell("nvcc " + words)
            self.assertEqual(self.asked(), words.split(), words)

    def test_a_failure_is_its_own(self):
        self.assertEqual(self.shell("nvcc -cubin k.cu", STATUS="3").returncode, 3)
        self.assertFalse(self.has("k.cubin"))

    def test_full_disk(self):
        done = self.shell("nvcc -cubin k.cu -o /nowhere/k.cubin")
        self.assertEqual(done.returncode, 1)
        self.assertIn("nvcc fatal   : Could not open output file '/nowhere/k.cubin'", done.stderr)
        done = self.shell("nvcc -ptx k.cu -o /dev/full")
        self.assertEqual(done.returncode, 1)
        done = self.shell("TMPDIR=/nowhere nvcc -ptx k.cu")
        self.assertIn("no folder for temporary files", done.stderr)

    def test_dependencies_are_of_what_is_made(self):
        for words, path, text in (("-cubin -arch=sm_80 k.cu -MD", "k.d", "k.o : k.cu"), ("-ptx k.cu -MMD -odir .", "./k.d", "./k.o : k.cu"),
                                  ("-cubin -arch=sm_80 k.cu -MD -o x.y.cubin", "x.y.d", "x.y.cubin : k.cu"), ("-ptx k.cu -MD -o z", "z.d", "z : k.cu")):
            done = self.shell("nvcc " + words, DEPENDENCIES="1")
            self.assertEqual(self.read(path).decode(), text + "\n", words + done.stderr)
            os.remove(os.path.join(self.folder, path))
        self.asked()
        self.shell("nvcc -cubin -arch=sm_80 k.cu -MD -MF d -o x.cubin")
        asked = self.asked()
        self.assertEqual(asked[asked.index("-MT") + 1], "x.cubin")
        self.shell("nvcc -cubin -arch=sm_80 k.cu -MD -MF d -MT mine")
        self.assertEqual(self.asked().count("-MT"), 1)
        done = self.shell("mkdir x.d; nvcc -cubin -arch=sm_80 k.cu -MD -o x.cubin", DEPENDENCIES="1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("Could not open output file 'x.d'", done.stderr)

    def test_a_limit_of_registers_is_in_what_stands_for_machine_code(self):
        for words, has in (("-cubin -arch=sm_80 k.cu -maxrregcount=24", True), ("-cubin -arch=sm_80 k.cu --maxrregcount 24", True),
                           ("-cubin -arch=sm_80 fake.ptx -maxrregcount=24", True), ("-cubin -arch=sm_80 k.cu", False),
                           ("-ptx k.cu -maxrregcount=24", False)):
            done = self.shell(f"nvcc {words} -o made")
            self.assertEqual(b".maxnreg 24 {" in self.read("made"), has, words + done.stderr)

    def test_temporary_files_go(self):
        os.mkdir(os.path.join(self.folder, "tmp"))
        self.shell("nvcc -cubin k.cu", TMPDIR=os.path.join(self.folder, "tmp"))
        self.assertEqual(os.listdir(os.path.join(self.folder, "tmp")), [])

    def test_what_is_no_fat_binary_is_refused(self):
        done = self.shell("nvcc -fatbin k.cu -o k.fatbin")
        self.assertEqual(done.returncode, 1)
        self.assertFalse(self.has("k.fatbin"))


CALLER = HEAD + """.extern .func (.param .b32 r) given();
.visible .entry answer(.param .u64 out)
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<3>;
    .param .b32 back;
    ld.param.u64 %rd1, [out];
    call.uni (back), given, ();
    ld.param.b32 %r1, [back];
    st.global.u32 [%rd1], %r1;
    ret;
}
"""
CALLEE = HEAD + """.visible .func (.param .b32 r) given()
{
    .reg .b32 %r<2>;
    mov.u32 %r1, 42;
    st.param.b32 [r], %r1;
    ret;
}
"""


class Linkers(Case):
    def setUp(self):
        super().setUp()
        for name in ("nvcc", "nvlink", "ptxas", "fatbinary"):
            self.tool(name, LOUD)
        self.write("a.ptx", CALLER)
        self.write("b.ptx", CALLEE)
        done = self.shell("ptxas -c -arch=sm_80 a.ptx -o a.cubin && ptxas -c -arch=sm_80 b.ptx -o b.cubin")
        self.assertTrue(self.has("b.cubin"), done.stderr)

    def test_linked_as_ptx(self):
        for command in ("nvlink -arch=sm_80 a.cubin b.cubin -o all.cubin -L/nowhere -lcudadevrt", "nvlink --arch sm_80 a.ptx b.cubin -o all.cubin",
                        "nvcc -dlink -cubin -arch=sm_80 a.cubin b.cubin -o all.cubin"):
            done = self.shell(command)
            self.assertTrue(self.has("all.cubin"), command + done.stderr)
            self.load("memory", "all.cubin")
            os.remove(os.path.join(self.folder, "all.cubin"))

    def test_what_cannot_be_linked_is_named(self):
        self.write("code.cubin", "\x7fELF" + "\x00" * 200)
        self.write("half.cubin", "")
        with open(os.path.join(self.folder, "half.cubin"), "wb") as file:
            file.write(self.read("a.cubin")[:300])
        for words, said in (("code.cubin", "code.cubin"), ("none.o", "'none.o' could not be opened"), ("half.cubin", "half.cubin"),
                            ("", "no input files"), ("a.cubin -arch=compute_80", "no architecture of machine code")):
            done = self.shell(f"nvlink -arch=sm_80 {words} -o all.cubin")
            self.assertEqual(done.returncode, 1, words + done.stdout)
            self.assertIn(said, done.stderr)
            self.assertFalse(self.has("all.cubin"))

    def test_versions_are_the_tools(self):
        self.assertEqual(self.shell("nvlink --version").stdout, "own nvlink --version\n")

    def test_fatbinary_is_given_ptx(self):
        self.tool("fatbinary", '#!/bin/sh\nfor word; do echo "$word"; cat "${word##*file=}" 2>/dev/null; done\n')
        self.write("code.cubin", "code\n")
        done = self.shell("fatbinary --create=x.fatbin -64 --image3=kind=elf,sm=80,file=b.cubin --image=profile=sm_80,file=b.cubin "
                          "--image3=kind=elf,sm=80,file=code.cubin")
        lines = done.stdout.split("\n")
        self.assertEqual(lines[:2], ["--create=x.fatbin", "-64"])
        self.assertTrue(lines[2].startswith("--image3=kind=ptx,sm=80,file=/"), lines[2])
        self.assertEqual(done.stdout.count(CALLEE), 2)
        self.assertIn("--image=profile=compute_80,file=/", done.stdout)
        self.assertIn("--image3=kind=elf,sm=80,file=code.cubin\ncode", done.stdout)


@unittest.skipUnless(os.access(NVCC, os.X_OK), "nvcc is not there")
class WithNvcc(Case):
    def nvcc(self, words):
        done = self.shell(f"{NVCC} {words}")
        self.assertEqual(done.stderr, "bankrun: sh: no process used CUDA\n")

    def counted(self, how, name):
        done = run(BANKRUN, sys.executable, self.write("load.py", LOADER), how, name, cwd=self.folder, env=self.environment)
        self.assertIn("answer 42", done.stdout, done.stderr)
        return done.stderr

    def test_all_kinds_run_and_have_lines_and_text(self):
        """Though the source is gone, which lies in a folder for temporary files."""
        self.nvcc("-cubin -arch=sm_80 k.cu")
        self.nvcc("-fatbin -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 k.cu")
        self.nvcc("-ptx -arch=sm_80 k.cu")
        self.nvcc("-dc -arch=sm_80 k.cu -o k.o")
        self.nvcc("-dlink -cubin -arch=sm_80 k.o -o linked.cubin")
        os.remove(os.path.join(self.folder, "k.cu"))
        for name in ("k.cubin", "k.fatbin", "k.ptx"):
            report = self.counted("file", name)
            self.assertIn("k.cu:5", report, name)
        self.assertIn("k.cu:5", self.counted("memory", "linked.cubin"))
        self.assertIn(b".bankrun.ptx", self.read("k.cubin"))
        kept = [os.path.join(folder, name) for folder, _, names in os.walk(os.path.join(self.folder, "cache")) for name in names if name == "k.cu"]
        self.assertEqual(len(kept), 1)

    def test_a_program_runs(self):
        self.write("main.cu", KERNEL + r"""
#include <cstdio>
int main()
{
    int *out, value = 0;
    cudaMalloc(&out, 4);
    answer<<<1, 32>>>(out);
    cudaMemcpy(&value, out, 4, cudaMemcpyDeviceToHost);
    printf("answer %d\n", value);
}
""")
        done = self.shell(f"{NVCC} -gencode arch=compute_80,code=sm_80 main.cu -o main && ./main")
        self.assertIn("answer 42", done.stdout, done.stderr)


if __name__ == "__main__":
    unittest.main()
