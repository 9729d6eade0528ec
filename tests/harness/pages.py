"""Pages of bankrun report --format html, and profiles to make them of."""

import json
import os
import subprocess

BANKRUN = os.path.abspath(os.environ.get("BANKRUN", "build/bankrun"))
EVIL = "</script><img src=x onerror=document.title='owned'><!--\u2028\u2029&amp;"

# Each lane reads a row of its own of a tile, and all store to one word.
COLUMN = """.version 7.0
.target sm_80
.address_size 64
.visible .entry column(.param .u64 out)
{
    .reg .b32 %r<6>;
    .reg .b64 %rd<4>;
    .shared .align 4 .b8 other[256];
    .shared .align 4 .b8 tile[4096];
    .loc 1 7 5
    mov.u32 %r1, %tid.x;
    shl.b32 %r2, %r1, 7;
    mov.u32 %r3, tile;
    add.u32 %r3, %r3, %r2;
    ld.shared.u32 %r4, [%r3];
    .loc 1 9 5
    mov.u32 %r5, other;
    st.shared.u32 [%r5], %r4;
    ld.param.u64 %rd1, [out];
    st.global.u32 [%rd1], %r4;
    ret;
}
.file 1 "FILE"
"""


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


def run_column(folder):
    """The profile of a run of COLUMN, and its page."""
    ptx, saved, page = (os.path.join(folder, name) for name in ("k.ptx", "run.json", "run.html"))
    source = os.path.join(folder, "column.cu")
    with open(source, "w", encoding="utf-8") as file:
        file.write("".join(f"// line {n} of column.cu\n" for n in range(1, 31)))
    with open(ptx, "w", encoding="utf-8") as file:
        file.write(COLUMN.replace("FILE", source))
    for form, path in (("json", saved), ("html", page)):
        done = bankrun("--format", form, "-o", path, "--launch", "column<<<2, 32>>>(out:u32[64])", ptx)
        if done.returncode:
            raise RuntimeError(f"--format {form}: {done.stderr}")
    with open(saved, encoding="utf-8") as file:
        return json.load(file), page


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


def hostile_profile():
    """All its names would be markup, or end a script, if they were not data."""
    sites = [site(3, [4 * lane for lane in range(32)], 1, file=EVIL, function=EVIL, array=EVIL,
                  instruction=EVIL, proof=EVIL)]
    return profile([launch(0, EVIL, sites)], (EVIL,))


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


def one_line_profile(count):
    """So many kernels with one line."""
    return profile([launch(i, f"kernel_{i}()", [site(7, [8 * lane for lane in range(32)], 2)]) for i in range(count)])
