"""Compilers that a program loads while it runs, NVRTC and nvJitLink: what they are asked under bankrun, and what the program gets
of them. The compilers here are libraries of a few lines that say what they were asked; a program of Python loads them as
packages do, by dlopen and dlsym."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

BANKRUN = os.path.abspath(os.environ.get("BANKRUN", "build/bankrun"))

# The PTX says in comments with which options it was compiled, and names its source as NVRTC does.
NVRTC = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
struct program { char ptx[8192], name[256]; };
int nvrtcCreateProgram(struct program **out, const char *source, const char *name, int n, const char **h, const char **i) {
    (void)source, (void)n, (void)h, (void)i;
    *out = calloc(1, sizeof **out);
    strcpy((*out)->name, name && *name ? name : "default_program");
    return 0;
}
int nvrtcCompileProgram(struct program *p, int count, const char **options) {
    char folder[4096];
    sprintf(p->ptx, "// version " VERSION "\n");
    for (int i = 0; i < count; i++)
        sprintf(p->ptx + strlen(p->ptx), "// option %s\n", options[i]);
    sprintf(p->ptx + strlen(p->ptx), "%s\t.file\t1 \"%s/%s\"\n", PTX, getcwd(folder, sizeof folder), p->name);
    return 0;
}
int nvrtcGetPTXSize(struct program *p, size_t *n) { *n = strlen(p->ptx) + 1; return 0; }
int nvrtcGetPTX(struct program *p, char *text) { strcpy(text, p->ptx); return 0; }
int nvrtcGetCUBINSize(struct program *p, size_t *n) { (void)p; *n = 5; return 0; }
int nvrtcGetCUBIN(struct program *p, char *text) { (void)p; memcpy(text, "\177ELF", 5); return 0; }
int nvrtcDestroyProgram(struct program **p) { free(*p); *p = NULL; return 0; }
int nvrtcVersion(int *a, int *b) { *a = 12; *b = 9; return 0; }
"""

# Of intermediate code it makes the module `lto`.
JITLINK = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char options[512];
int nvJitLinkCreate(void **out, unsigned n, const char **o) {
    *out = options;
    for (unsigned i = 0; i < n; i++)
        sprintf(options + strlen(options), "%s ", o[i]);
    return 0;
}
int nvJitLinkAddData(void *l, int type, const void *d, size_t n, const char *name) {
    (void)l, (void)name;
    return type == 3 && n == 2 && memcmp(d, "IR", 2) == 0 ? 0 : 3;
}
int nvJitLinkAddFile(void *l, int type, const char *path) { (void)l, (void)type, (void)path; return 0; }
int nvJitLinkComplete(void *l) { (void)l; return strcmp(options, "-arch=sm_90 -lto -ptx "); }
int nvJitLinkGetLinkedPtxSize(void *l, size_t *n) { (void)l; *n = 4096; return 0; }
int nvJitLinkGetLinkedPtx(void *l, char *t) { (void)l; strcpy(t, LTO); return 0; }
int nvJitLinkGetErrorLogSize(void *l, size_t *n) { (void)l; *n = 6; return 0; }
int nvJitLinkGetErrorLog(void *l, char *t) { (void)l; strcpy(t, "no IR"); return 0; }
int nvJitLinkDestroy(void **l) { *l = NULL; return 0; }
int nvJitLinkGetLinkedCubinSize(void *l, size_t *n) { (void)l; *n = 7; return 0; }
int nvJitLinkGetLinkedCubin(void *l, char *t) { (void)l; memcpy(t, "machine", 7); return 0; }
"""

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
KERNEL = """.visible .entry %s(.param .u64 out)
{
    .reg .b32 %%r<2>;
    .reg .b64 %%rd<2>;
    ld.param.u64 %%rd1, [out];
    mov.u32 %%r1, %d;
    st.global.u32 [%%rd1], %%r1;
    ret;
}
"""

PROGRAM = r"""
import ctypes, sys
cuda = ctypes.CDLL("libcuda.so.1")
device, context = ctypes.c_int(), ctypes.c_void_p()
cuda.cuInit(0); cuda.cuDeviceGet(ctypes.byref(device), 0)
cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device); cuda.cuCtxSetCurrent(context)
def launch(image, name):
    module, function, out, value = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_uint64(), ctypes.c_int()
    status = cuda.cuModuleLoadData(ctypes.byref(module), image)
    if status: return print("load", status)
    status = cuda.cuModuleGetFunction(ctypes.byref(function), module, name)
    if status: return print("function", status)
    cuda.cuMemAlloc_v2(ctypes.byref(out), ctypes.c_size_t(4))
    arguments = (ctypes.c_void_p * 1)(ctypes.addressof(out))
    print("launch", cuda.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, None, arguments, None))
    cuda.cuMemcpyDtoH_v2(ctypes.byref(value), out, ctypes.c_size_t(4))
    print(name.decode(), value.value)
def text(library, function, handle):
    size = ctypes.c_size_t()
    status = getattr(library, function + "Size")(handle, ctypes.byref(size))
    if status: return print(function, status)
    made = ctypes.create_string_buffer(size.value + 1)
    status = getattr(library, function)(handle, made)
    return made.raw[:size.value]
def program(library, name, *options):
    p = ctypes.c_void_p()
    assert library.nvrtcCreateProgram(ctypes.byref(p), b"the source\n", name, 0, None, None) == 0
    assert library.nvrtcCompileProgram(p, len(options), (ctypes.c_char_p * len(options))(*options)) == 0
    return p
def link(library, *inputs, options=(b"-arch=sm_90",)):
    l = ctypes.c_void_p()
    print("create", library.nvJitLinkCreate(ctypes.byref(l), len(options), (ctypes.c_char_p * len(options))(*options)))
    for kind, data in inputs:
        print("add", library.nvJitLinkAddData(l, kind, data, ctypes.c_size_t(len(data)), b"part"))
    print("complete", library.nvJitLinkComplete(l))
    return l
"""


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("%%", "%") + '"'


class Late(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        ptx = quoted(HEAD + (KERNEL % ("one", 1)).replace("    mov.u32", "    .shared .b32 s;\n    .loc 1 1 0\n    st.shared.u32 [s], 5;\n    mov.u32"))
        lto = quoted(HEAD + KERNEL % ("lto", 7))
        for name, text, macros in (("libnvrtc.so.12", NVRTC, {"VERSION": '"12"', "PTX": ptx}),
                                   ("libnvrtc.so.13", NVRTC, {"VERSION": '"13"', "PTX": ptx}),
                                   ("libnvJitLink.so", JITLINK, {"LTO": lto})):
            subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", os.path.join(cls.folder, name)],
                           input="".join(f"#define {m} {v}\n" for m, v in macros.items()) + text, text=True, check=True,
                           env={name: value for name, value in os.environ.items() if name != "LD_PRELOAD"})

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def run_python(self, text, *options):
        path = os.path.join(self.folder, "program.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(PROGRAM + text)
        done = subprocess.run([BANKRUN, *options, sys.executable, "program.py"], cwd=self.folder, check=False,
                              capture_output=True, text=True, env={**os.environ, "XDG_CACHE_HOME": self.folder + "/cache"})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done

    def test_machine_code_is_a_carrier_of_ptx(self):
        done = self.run_python("""
for version in (b"12", b"13"):
    rtc = ctypes.CDLL("./libnvrtc.so." + version.decode())
    for options in ((b"--gpu-architecture=sm_90a",), (b"-arch", b"sm_80"), (b"-arch=sm_90", b"-G")):
        p = program(rtc, b"k.cu", *options)
        code = text(rtc, "nvrtcGetCUBIN", p)
        print([line.decode(errors="replace") for line in code.split(b"\\n") if b"// option" in line or b"// version" in line])
        launch(code, b"one")
        print(rtc.nvrtcDestroyProgram(ctypes.byref(p)), p.value, rtc.nvrtcCompileProgram(None, 0, None))
""")
        out = done.stdout
        self.assertIn(" k.cu:1  st.shared.u32 to s ", done.stderr)
        for version in ("12", "13"):
            for options in ("compute_90a', '// option -lineinfo", "-arch', '// option compute_80', '// option -lineinfo",
                            "-arch=compute_90', '// option -G']"):
                self.assertIn(options, out)
            self.assertIn(f"// version {version}", out)
        self.assertEqual(out.count("launch 0\none 1\n0 None 4\n"), 6, out)

    def test_what_is_not_there_is_not_found(self):
        out = self.run_python("""
everything = ctypes.CDLL(None)
print([hasattr(everything, name) for name in ("nvrtcCreateProgram", "nvrtcGetCUBIN", "nvJitLinkCreate", "malloc")])
ctypes.CDLL("./libnvrtc.so.13", ctypes.RTLD_GLOBAL)
for library in everything, ctypes.CDLL(None):
    launch(text(library, "nvrtcGetCUBIN", program(library, b"k.cu", b"-arch=sm_80")), b"one")
""").stdout
        self.assertIn("[False, False, False, True]\nlaunch 0\none 1\nlaunch 0\none 1\n", out)

    def test_ptx_stays_ptx(self):
        out = self.run_python("""
rtc = ctypes.CDLL("./libnvrtc.so.12")
p = program(rtc, b"k.cu", b"-arch=compute_80", b"-lineinfo")
ptx = text(rtc, "nvrtcGetPTX", p)
print(ptx.count(b"lineinfo"), text(rtc, "nvrtcGetCUBIN", p))
launch(ptx, b"one")
p = program(rtc, b"k.cu", b"-arch=sm_80", b"-dlto")
print([line for line in text(rtc, "nvrtcGetPTX", p).split(b"\\n") if b"option" in line])
""").stdout
        self.assertIn("1 b''", out)
        self.assertIn("launch 0\none 1", out)
        self.assertIn("[b'// option -arch=sm_80', b'// option -dlto']", out)

    def test_source_texts_are_kept_under_their_names(self):
        out = self.run_python("""
rtc = ctypes.CDLL("./libnvrtc.so.12")
open("there.cu", "w").close()
for name in (b"made.cu", b"", b"folder/made.cu", b"there.cu"):
    ptx = text(rtc, "nvrtcGetPTX", program(rtc, name, b"-arch=compute_80")).decode()
    path = ptx.split('"')[1]
    print(path, repr(open(path).read()))
""").stdout.splitlines()
        sources = self.folder + "/cache/bankrun/packages/sources/"
        for line, name in zip(out, ("made.cu", "default_program", "made.cu")):
            path, _, source = line.partition(" ")
            self.assertTrue(path.startswith(sources) and path.endswith("/" + name), line)
            self.assertEqual(source, "'the source\\n'")
        self.assertEqual(out[3], f"{self.folder}/there.cu ''")

    def test_nvjitlink_links_ptx(self):
        head, one, two = HEAD, KERNEL % ("one", 1), KERNEL % ("two", 2)
        done = self.run_python(f"""
head, one, two = {head!r}, {one!r}, {two!r}
jit, rtc = ctypes.CDLL("./libnvJitLink.so"), ctypes.CDLL("./libnvrtc.so.12")
carrier = text(rtc, "nvrtcGetCUBIN", program(rtc, b"k.cu", b"-arch=sm_80"))
l = link(jit, (2, (head + two).encode()), (1, carrier))
code = text(jit, "nvJitLinkGetLinkedCubin", l)
launch(code, b"one"); launch(code, b"two")
print(jit.nvJitLinkDestroy(ctypes.byref(l)), l.value)
l = link(jit, (3, b"IR"), (2, (head + two).encode()), options=(b"-arch=sm_90", b"-lto"))
code = text(jit, "nvJitLinkGetLinkedCubin", l)
launch(code, b"lto"); launch(code, b"two")
l = link(jit, (2, (head + two).encode()), options=(b"-arch=sm_90", b"-maxrregcount=57"))
print(text(jit, "nvJitLinkGetLinkedPtx", l).count(b".maxnreg 57 {{"))
for options in ((b"-maxrregcount=57",), (b"--maxrregcount", b"57"), ()):
    made = program(rtc, b"k.cu", b"-arch=sm_80", *options)
    print(text(rtc, "nvrtcGetCUBIN", made).count(b".maxnreg 57 {{"), text(rtc, "nvrtcGetPTX", made).count(b".maxnreg"))
""").stdout
        self.assertTrue(done.endswith("complete 0\n1\n1 0\n1 0\n0 0\n"), done)
        self.assertIn("create 0\nadd 0\nadd 0\ncomplete 0\nlaunch 0\none 1\nlaunch 0\ntwo 2\n0 None\n", done)
        self.assertIn("complete 0\nlaunch 0\nlto 7\nlaunch 0\ntwo 2\n", done)

    def test_linked_with_nvjitlink(self):
        """A program that is linked with nvJitLink has names with versions, as its header gives them."""
        environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
        folder = os.path.join(self.folder, "linked")
        os.makedirs(folder, exist_ok=True)
        names = ("Create", "Destroy", "AddData", "AddFile", "Complete", "GetLinkedCubinSize", "GetLinkedCubin", "GetLinkedPtxSize", "GetLinkedPtx",
                 "GetErrorLogSize", "GetErrorLog")
        defines = "".join(f"#define nvJitLink{name} __nvJitLink{name}_12_9\n" for name in names)
        lto = quoted(HEAD + KERNEL % ("lto", 7))
        subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", f"{folder}/libnvJitLink.so.12", "-Wl,-soname,libnvJitLink.so.12"],
                       input=f"#define LTO {lto}\n{defines}{JITLINK}\nint __nvJitLinkGetLinkedLTOIRSize_12_9(void *l, size_t *n) {{ abort(); }}\n", text=True, check=True, env=environment)
        ptx = quoted(HEAD + KERNEL % ("two", 2))
        program = f"""
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
{defines}
int nvJitLinkCreate(void **, unsigned, const char **), nvJitLinkAddData(void *, int, const void *, size_t, const char *), nvJitLinkComplete(void *);
int nvJitLinkGetLinkedCubinSize(void *, size_t *), nvJitLinkGetLinkedCubin(void *, char *), nvJitLinkDestroy(void **), __nvJitLinkGetLinkedLTOIRSize_12_9(void *, size_t *);
int main(void) {{
    const char *options[] = {{"-arch=sm_90", "-lto"}}, *ptx = {ptx};
    void *link, *module = 0, *function = 0, *context, *cuda = dlopen("libcuda.so.1", RTLD_NOW);
    size_t size = 0;
    printf("%d ", nvJitLinkCreate(&link, 2, options));
    printf("%d ", nvJitLinkAddData(link, 3, "IR", 2, "a"));
    printf("%d ", nvJitLinkAddData(link, 2, ptx, strlen(ptx), "b"));
    printf("%d ", nvJitLinkComplete(link));
    printf("%d ", nvJitLinkGetLinkedCubinSize(link, &size));
    char *code = malloc(size);
    printf("%d %d ", nvJitLinkGetLinkedCubin(link, code), __nvJitLinkGetLinkedLTOIRSize_12_9(link, &size));
    ((int (*)(int))dlsym(cuda, "cuInit"))(0);
    ((int (*)(void **, int))dlsym(cuda, "cuDevicePrimaryCtxRetain"))(&context, 0);
    ((int (*)(void *))dlsym(cuda, "cuCtxSetCurrent"))(context);
    printf("%d ", ((int (*)(void **, const void *))dlsym(cuda, "cuModuleLoadData"))(&module, code));
    int (*get)(void **, void *, const char *) = (int (*)(void **, void *, const char *))dlsym(cuda, "cuModuleGetFunction");
    printf("%d %d %d ", get(&function, module, "lto"), get(&function, module, "two"), get(&function, module, "one"));
    printf("%d\\n", nvJitLinkDestroy(&link));
    return 0;
}}
"""
        subprocess.run(["cc", "-x", "c", "-", "-x", "none", f"{folder}/libnvJitLink.so.12", "-o", f"{folder}/program", f"-Wl,-rpath,{folder}"],
                       input=program, text=True, check=True, env=environment)
        for command in ([f"{folder}/program"], [sys.executable, "-c", f"import subprocess; subprocess.run([{folder + '/program'!r}], check=True)"]):
            done = subprocess.run([BANKRUN, "--no-cache", *command], check=False, capture_output=True, text=True)
            self.assertEqual(done.stdout, "0 0 0 0 0 0 3 0 0 0 500 0\n", done.stderr)
            self.assertIn("nvJitLinkGetLinkedLTOIR: not simulated (what is linked is PTX)", done.stderr)

    def test_archives_are_linked(self):
        environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
        subprocess.run("echo 'int host;' >host.c && cc -c host.c && rm -f lib.a && ar rc lib.a host.o", shell=True, check=True,
                       cwd=self.folder, env=environment)
        with open(os.path.join(self.folder, "lib.a"), "rb") as file:
            data = file.read()
        with open(os.path.join(self.folder, "half.a"), "wb") as file:
            file.write(data[:-100])
        out = self.run_python(f"""
jit = ctypes.CDLL("./libnvJitLink.so")
l = link(jit, (6, open("lib.a", "rb").read()), (2, {HEAD + KERNEL % ("one", 1)!r}.encode()))
print(jit.nvJitLinkAddFile(l, 6, b"half.a"), text(jit, "nvJitLinkGetErrorLog", l))
launch(text(jit, "nvJitLinkGetLinkedCubin", l), b"one")
""").stdout
        self.assertIn("create 0\nadd 0\nadd 0\ncomplete 0\n3 b'bankrun: half.a: the archive is damaged", out)
        self.assertIn("launch 0\none 1\n", out)

    def test_what_nvjitlink_refuses(self):
        out = self.run_python("""
jit = ctypes.CDLL("./libnvJitLink.so")
l = link(jit, (1, b"\\x7fELF" + bytes(100)), options=(b"-arch=sm_90",))
print(text(jit, "nvJitLinkGetErrorLog", l))
l = link(jit, (3, b"other"))
print(text(jit, "nvJitLinkGetErrorLog", l))
link(jit, options=())
print(jit.nvJitLinkComplete(None), jit.nvJitLinkAddFile(l, 2, b"/nowhere"))
print(text(jit, "nvJitLinkGetErrorLog", l))
""").stdout
        self.assertIn("add 3\ncomplete 3\n", out)
        self.assertIn("bankrun: nothing was given to be linked", out)
        self.assertIn("no IR", out)
        self.assertIn("create 2", out)
        self.assertIn("10 3\n", out)
        self.assertIn("/nowhere cannot be read", out)


if __name__ == "__main__":
    unittest.main()
