"""cmake/bankrun-config.cmake: examples/cmake, its tests as gates that hold and that fail, and calls that are wrong."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

BANKRUN = os.path.abspath(os.environ["BANKRUN"])
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MODULE = os.path.join(ROOT, "cmake")
NVCC = os.path.realpath(os.environ.get("BANKRUN_TEST_NVCC", ""))
problems = []

if not shutil.which("cmake"):
    print("needs cmake")
    sys.exit(77)

MORE = """
bankrun_add_test(NAME plain_fails COMMAND turn plain)
bankrun_add_test(NAME degree_fails COMMAND turn plain FAIL_ON degree>=32)
bankrun_add_test(NAME one_of_two_fails COMMAND turn plain FAIL_ON excess=992 degree>=32)
bankrun_add_test(NAME worse_fails COMMAND turn plain BASELINE ${CMAKE_BINARY_DIR}/padded.json)
bankrun_add_test(NAME same_passes COMMAND turn plain BASELINE ${CMAKE_BINARY_DIR}/plain.json)
bankrun_add_test(NAME no_baseline_fails COMMAND turn plain BASELINE nothing.json)
bankrun_add_test(NAME checked_passes COMMAND turn padded OPTIONS --check all FAIL_ON check)
bankrun_add_test(NAME program_fails COMMAND false)
bankrun_add_test(NAME folder_passes COMMAND turn padded WORKING_DIRECTORY /)
bankrun_add_test(NAME blank_passes COMMAND turn padded "a b;c")
"""
WANTED = {"padded": 0, "plain": 0, "plain_fails": "excess", "degree_fails": "conflicts 32 ways",
          "one_of_two_fails": "conflicts 32 ways", "worse_fails": "more excess than in", "same_passes": 0,
          "no_baseline_fails": "nothing.json", "checked_passes": 0, "program_fails": "", "folder_passes": 0,
          "blank_passes": 0}
WRONG = (("bankrun_add_test(NAME a)", "bankrun_add_test: a NAME and a COMMAND are needed"),
         ("bankrun_add_test(NAME a COMMAND b FAIL_ON)", "bankrun_add_test\\(NAME a\\): not understood: +FAIL_ON"),
         ("bankrun_add_test(NAME a COMMAND b BASELINE c d)", "bankrun_add_test\\(NAME a\\): not understood: d"),
         ("bankrun_target(a ARCH sm_1)", "bankrun_target: bankrun: "))


def check(holds, what):
    if not holds:
        problems.append(what)


def run(*words, **more):
    return subprocess.run(words, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def wrong_calls(folder):
    for call, words in WRONG:
        write(os.path.join(folder, "CMakeLists.txt"), "cmake_minimum_required(VERSION 3.18)\nproject(p NONE)\n"
              f"enable_testing()\nfind_package(bankrun REQUIRED)\n{call}\n")
        done = run("cmake", "-S", folder, "-B", os.path.join(folder, "build"), f"-Dbankrun_DIR={MODULE}")
        text = re.sub(r"\s+", " ", done.stdout)
        check(done.returncode and re.search(words, text), f"{call}: {done.stdout}")


def without_bankrun(folder):
    write(os.path.join(folder, "CMakeLists.txt"), "cmake_minimum_required(VERSION 3.18)\nproject(p NONE)\n"
          "find_package(bankrun)\nmessage(STATUS \"found: ${bankrun_FOUND}\")\nfind_package(bankrun REQUIRED)\n")
    tools = os.path.join(folder, "tools")
    os.mkdir(tools)
    for name in ("cmake", "sh", "make", "ninja"):
        if shutil.which(name):
            os.symlink(os.path.realpath(shutil.which(name)), os.path.join(tools, name))
    done = run("cmake", "-S", folder, "-B", os.path.join(folder, "none"), f"-Dbankrun_DIR={MODULE}",
               "-DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF", env={"PATH": tools, "HOME": folder})
    check(done.returncode and "found: 0" in done.stdout and "pip install bankrun" in done.stdout, done.stdout)


def the_example(folder):
    source, build = os.path.join(folder, "source"), os.path.join(folder, "build")
    shutil.copytree(os.path.join(ROOT, "examples", "cmake"), source)
    with open(os.path.join(source, "CMakeLists.txt"), "a", encoding="utf-8") as file:
        file.write(MORE)
    done = run("cmake", "-S", source, "-B", build, f"-Dbankrun_DIR={MODULE}", f"-DCMAKE_CUDA_COMPILER={NVCC}")
    made = run("cmake", "--build", build)
    if done.returncode or made.returncode:
        sys.exit(done.stdout + made.stdout)
    for name in ("padded", "plain"):
        subprocess.run([BANKRUN, "run", "--format", "json", "-o", f"{name}.json", "./turn", name], cwd=build, check=True)
    done = run("ctest", "--output-junit", "junit.xml", cwd=build)
    tests = {case.get("name"): case for case in xml.parse(os.path.join(build, "junit.xml")).iter("testcase")}
    check(set(tests) == set(WANTED), sorted(tests))
    for name, wanted in WANTED.items():
        text = tests[name].findtext("system-out") or ""
        has_failed = tests[name].find("failure") is not None
        check(has_failed == (wanted != 0) and (wanted or "") in text, f"{name}: failed {has_failed}\n{text}")
    check(done.returncode == 8, f"ctest: {done.returncode}\n{done.stdout}")
    text = next(tests["plain"].iter("system-out")).text
    check("turn.cu:10" in text and "32-way" in text, f"no lines: {text}")


def the_folder():
    """Of a source tree; that of a wheel and of an installation lie elsewhere."""
    done = run(sys.executable, "-c", "import bankrun; print(bankrun.cmake_folder())",
               env={**os.environ, "PYTHONPATH": os.path.join(ROOT, "python")})
    check(done.stdout == MODULE + "\n", done.stdout)


with tempfile.TemporaryDirectory() as scratch:
    the_folder()
    wrong_calls(scratch)
    without_bankrun(scratch)
    # CMake asks the compiler itself, and for what lies beside it: a script in its place will not do.
    if os.path.exists(os.path.join(os.path.dirname(NVCC), "cudafe++")):
        with tempfile.TemporaryDirectory() as inner:
            the_example(inner)
    elif not problems:
        print("the example needs a CUDA toolkit")
        sys.exit(77)
sys.exit("\n".join(problems) or 0)
