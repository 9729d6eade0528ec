"""Pages of bankrun report --format html, and profiles to make them of."""

import json
import os
import subprocess

BANKRUN = os.environ.get("BANKRUN", "build/bankrun")
EVIL = "</script><img src=x onerror=document.title='owned'>"


def bankrun(*words, **more):
    return subprocess.run([BANKRUN, *words], capture_output=True, text=True, **more)


def page_of(profile, folder, name="page.html"):
    """Writes the page of a profile (a dictionary); returns its path."""
    source, page = os.path.join(folder, "profile.json"), os.path.join(folder, name)
    with open(source, "w", encoding="utf-8") as file:
        json.dump(profile, file)
    done = bankrun("report", source, "--format", "html", "-o", page)
    if done.returncode or done.stderr:
        raise RuntimeError(f"bankrun report: status {done.returncode}: {done.stderr}")
    return page


def data_of(page):
    """What the page says, as data, and the page without it."""
    with open(page, encoding="utf-8") as file:
        text = file.read()
    start = text.index('<script type="application/json" id="profile">') + 45
    end = text.index("</script>", start)
    return json.loads(text[start:end]), text[:start] + text[end:]


def site(line, offsets, wavefronts, **more):
    """A load of shared memory whose ten requests all are like that."""
    return {"file": "kernel.cu", "line": line, "column": 0, "function": "kernel", "inlined_at": [],
            "instruction": "ld.shared.f32", "op": "load", "space": "shared", "width": 4,
            "verdict": "observed", "proof": None, "excess": 10 * (wavefronts - 1), "requests": 10,
            "wavefronts": 10 * wavefronts, "ideal": 10, "array": "tile", "array_offset": 0,
            "request": {"access": "load", "width": 4, "matrices": 0, "scanned": False, "source": False},
            "estimate": False, "worst_degree": wavefronts, "degrees": {str(wavefronts): 10},
            "worst": {"block": [0, 0, 0], "warp": 0, "mask": 2**32 - 1, "offsets": offsets, "why": None},
            **more}


def no_totals():
    counts = {"shared": ("wavefronts", "ideal"), "global": ("sectors", "ideal_sectors")}
    ops = ["load", "store", "atomic", "async_copy", "matrix_load", "matrix_store"]
    return {space: {op: {"requests": 0, units: 0, ideal: 0} for op in ops[:6 if space == "shared" else 4]}
            for space, (units, ideal) in counts.items()}


def launch(index, kernel, sites):
    totals = no_totals()
    for one in sites:
        for key in ("requests", "wavefronts", "ideal"):
            totals["shared"]["load"][key] += one[key]
    sites = sorted(sites, key=lambda one: (one["file"], one["line"]))
    return {"index": index, "repeats": 1, "repeated": [{"first": index, "count": 1, "step": 1}],
            "kernel": kernel, "symbol": kernel, "grid": [1, 1, 1], "block": [32, 1, 1], "shared_bytes": 4096,
            "blocks_run": 1, "instructions": 1000, "thread_instructions": 32000, "barriers": 0,
            "fault": None, "sample": None, "totals": totals, "sites": sites}


def profile(launches, program=("./app",)):
    return {"schema": "bankrun-profile/1", "bankrun": "0", "arch": "sm_90", "program": list(program),
            "launches": launches}


def large_profile(count):
    """So many sites with requests of their own, in launches of a hundred kernels."""
    launches = []
    for n in range(100):
        sites = []
        for i in range(count // 100):
            at = n * (count // 100) + i
            stride = 2 ** (at % 6)  # ways
            step = stride if at % 2 else -stride
            offsets = [2**17 + 4 * (at + step * lane) for lane in range(32)]
            if at % 4 == 0:
                offsets = [offsets[lane * 5 % 32] + 128 * (at * lane % 31) for lane in range(32)]
            sites.append(site(at + 1, offsets, stride, function=f"kernel_{n}(float*)"))
        launches.append(launch(n, f"kernel_{n}(float*)", sites))
    return profile(launches)
