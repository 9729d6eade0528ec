"""Kernels of instruction forms through ptxas: which forms it takes, and cubins of them."""

import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from isa_forms import HEAD

ERROR = re.compile(r"line (\d+); (?:error|fatal)\s*: (.*)")
CHUNK = 200  # kernels of one module
ARCH = "sm_90a"


def version():
    text = subprocess.run(["ptxas", "--version"], check=True, capture_output=True, text=True).stdout
    return "ptxas " + re.search(r"V([\d.]+)", text)[1] + ", " + ARCH


def module_text(kernels, head=HEAD):
    """The text of a module, and for each line the index of its kernel."""
    text, owners = head, [None] * head.count("\n")
    for i, kernel in enumerate(kernels):
        text += kernel
        owners += [i] * kernel.count("\n")
    return text, owners


def compile_module(path, text):
    """Status and messages of ptxas, which leaves a cubin beside the text."""
    path.write_text(text, encoding="utf-8")
    done = subprocess.run(["ptxas", "-arch", ARCH, path, "-o", path.with_suffix(".cubin")],
                          capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def accepted(folder, name, forms):
    """The forms that ptxas takes, compiled to folder/name.cubin with kernels k0, k1, ..., and what
    it says of the others."""
    refused = []
    while forms:
        text, owners = module_text([f.kernel(f"k{i}") for i, f in enumerate(forms)])
        code, messages = compile_module(Path(folder) / f"{name}.ptx", text)
        if code == 0:
            break
        wrong = {owners[int(line) - 1]: what for line, what in ERROR.findall(messages)}
        if not wrong:
            raise RuntimeError(f"ptxas, {name}: {messages}")
        refused += [(forms[i].text, what) for i, what in wrong.items()]
        forms = [f for i, f in enumerate(forms) if i not in wrong]
    return forms, refused


def compile_all(folder, forms, jobs):
    """Modules of forms: (path of the cubin, its forms), and the refused ones."""
    chunks = [forms[i:i + CHUNK] for i in range(0, len(forms), CHUNK)]
    with ThreadPoolExecutor(jobs) as pool:
        done = list(pool.map(lambda c: accepted(folder, f"m{c[0]}", c[1]), enumerate(chunks)))
    modules = [(Path(folder) / f"m{i}.cubin", took) for i, (took, _) in enumerate(done) if took]
    return modules, [one for _, refused in done for one in refused]
