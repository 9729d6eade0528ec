"""What packages and images are made of says the same in all places that say it."""

import os
import re
import stat
import subprocess
import sys

DEBIAN = "packaging/debian"
problems = []


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def expect_same(what, found, wanted):
    if found != wanted:
        problems.append(f"{what}: {sorted(found)} and not {sorted(wanted)}")


def requirements(text):
    """NVIDIA's packages, with their versions."""
    return set(re.findall(r"['\"](nvidia-[\w-]+[=<>][^'\"]*)['\"]", text))


def check_compiler():
    wanted = requirements(read("pyproject.toml"))
    if len(wanted) < 6:
        problems.append(f"pyproject.toml: {wanted}")
    expect_same("Containerfile: the compiler", requirements(read("Containerfile")), wanted)
    expect_same("autopkgtest: the compiler", requirements(read(DEBIAN, "tests", "programs")), wanted)
    script = read("tools", "get-nvcc.sh")
    version = re.search(r'^version="(.*)"', script, re.MULTILINE)[1]
    names = re.search(r'^packages="(.*)"', script, re.MULTILINE)[1].split()
    expect_same("get-nvcc.sh: the compiler", {f"{name}=={version}" for name in names} | requirements(script), wanted)


def packages(text):
    """Those that apt-get installs."""
    return [set(re.findall(r"[a-z][\w.+-]+", re.sub(r"\\\n", " ", m).split("recommends", 1)[1].split("&&")[0]))
            for m in re.findall(r"apt-get install (?:\\\n|.)*", text)]


def check_libraries():
    script = read("tools", "install-deps.sh")
    wanted = set(re.search(r'^packages="([^"]*)"', script, re.MULTILINE)[1].split())
    build, run = packages(read("Containerfile"))
    expect_same("Containerfile: what building needs", build, wanted)
    libraries = {name for name in wanted if re.match(r"lib.*-dev|zlib1g-dev", name)}
    control = read(DEBIAN, "control")
    source, *binary = control.split("\n\n")
    needed = set(re.findall(r"^ ([\w.+-]+)", source.split("Build-Depends:")[1], re.MULTILINE))
    expect_same("debian/control: libraries", {name for name in needed if re.search(r"^z?lib.*-dev$", name)},
                libraries | {"libcmocka-dev"})
    linked = subprocess.run(["ldd", os.path.join(os.environ.get("BANKRUN_BUILD", "build"), "libcuda.so.1")],
                            capture_output=True, text=True, check=True).stdout
    for library, package in (("jansson", "libjansson4"), ("lz4", "liblz4-1"), ("zstd", "libzstd1"), ("xxhash", "libxxhash0")):
        if (f"lib{library}.so" in linked) != (package in run):
            problems.append(f"Containerfile: {package} is {'not ' * (package not in run)}there")
    return binary


def check_engine(binary):
    """The LLVM that kernels are compiled with is recommended, and nothing that is needed needs it."""
    library = os.path.join(os.environ.get("BANKRUN_BUILD", "build"), "libbankrun-compile.so")
    text, = (text for text in binary if "Package: bankrun\n" in text)
    recommended = re.search(r"Recommends:\n((?: .*\n)*)", text)
    rules = read(DEBIAN, "rules")
    if not recommended or "libllvm14" not in recommended[1] or "-Xlibbankrun-compile.so" not in rules or "-Dcompile=enabled" not in rules:
        problems.append("debian: LLVM is to be recommended, and the compiler to be built")
    if os.path.exists(library):
        needs = subprocess.run(["ldd", library], capture_output=True, text=True, check=True).stdout
        if "libLLVM-14.so" not in needs:
            problems.append(f"debian: libllvm14 is not what {library} needs")


def check_library(binary):
    """Who links with the library is asked for what it needs."""
    text, = (text for text in binary if "Package: libbankrun-dev\n" in text)
    has = set(re.findall(r"^ (lib\S+-dev)", text.split("Depends:")[1], re.MULTILINE))
    wants = read(os.environ.get("BANKRUN_BUILD", "build"), "meson-private", "bankrun.pc")
    names = re.search(r"^Requires: (.*)", wants, re.MULTILINE)[1].split(", ")
    needs = {f"lib{name.removeprefix('lib')}-dev" for name in names} | ({"libiberty-dev"} if "-liberty" in wants else set())
    expect_same("libbankrun-dev depends on", has, needs)


def check_debian(binary):
    names = {re.match(r"Package: (\S+)", text)[1] for text in binary}
    folder = os.listdir(DEBIAN)
    for end in (".install", ".docs", ".examples", ".lintian-overrides"):
        others = {name.removesuffix(end) for name in folder if name.endswith(end)} - names
        expect_same(f"{DEBIAN}/*{end}: of no package", others, set())
    control = read(DEBIAN, "tests", "control")
    scripts = set(os.listdir(os.path.join(DEBIAN, "tests"))) - {"control"}
    expect_same("autopkgtests", set(re.findall(r"^Tests: (\S+)", control, re.MULTILINE)), scripts)
    for script in [os.path.join(DEBIAN, "tests", name) for name in scripts] + [DEBIAN + "/rules", "tools/build_deb.sh"]:
        if not os.stat(script).st_mode & stat.S_IXUSR:
            problems.append(f"{script} cannot be run")
    for line in read(DEBIAN, "bankrun.docs").splitlines() + read(DEBIAN, "bankrun.examples").splitlines():
        path = line.split()[0].split("*")[0]
        if not os.path.exists(path):
            problems.append(f"{DEBIAN}: {line} is not there")


def main():
    if not os.path.exists(DEBIAN):
        print("packaging is not there")
        return 1
    check_compiler()
    binary = check_libraries()
    check_engine(binary)
    check_library(binary)
    check_debian(binary)
    print("\n".join(problems))
    return 1 if problems else 0


sys.exit(main())
