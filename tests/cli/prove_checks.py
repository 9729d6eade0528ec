"""Proofs that a kernel is free of races against what the checker of races finds in the same kernels:
those of tests/check, bad ones and their mended twins, of which comments say where they race. A kernel in
which threads of a block race in shared memory may never be proved free; of the others most are."""

import glob
import json
import os
import re
import subprocess
import tempfile

BANKRUN = os.environ.get("BANKRUN", "build/bankrun")
FEWEST_RACY, FEWEST_FREE = 20, 52  # of the kernels and shapes of blocks that are there: else the test looks at nothing


def run(*words):
    process = subprocess.run([BANKRUN, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300, text=True)
    return process.stdout if process.returncode in (0, 5) else None


def is_of_block(finding):
    """A race in shared memory, of threads of one block."""
    places = finding["places"]
    return (finding["check"] == "race" and not finding["note"]
            and any(".shared" in place.get("instruction", "") for place in places)
            and len({tuple(place["block"]) for place in places if "block" in place}) == 1)


def compiled(source, folder):
    """Once for both commands. Sources that need more than one file, or other flags, are left to them."""
    program = os.path.join(folder, "program")
    flags = run("nvcc-flags")
    done = subprocess.run(["nvcc", *flags.split(), "-o", program, source], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return source if done.returncode else program


def launches_of(source, program, folder):
    """{(kernel, block): whether it races there}"""
    file = os.path.join(folder, "checked.json")
    with open(source, encoding="utf-8") as text:
        words = re.findall(r"^// args: (.*)$", text.read(), re.MULTILINE)
    if run("check", "--format", "json", "-o", file, program, *(words[0].split() if words else [])) is None:
        return {}
    with open(file, encoding="utf-8") as saved:
        launches = json.load(saved)["launches"]
    found = {}
    for launch in launches:
        key = launch["kernel"], "x".join(map(str, launch["block"]))
        found[key] = found.get(key, False) or any(map(is_of_block, launch.get("findings", [])))
    return found


def verdicts_of(program, block, kernels):
    """{kernel: verdict}"""
    names = "|".join(re.escape(kernel) for kernel in kernels)
    text = run("prove", "--block", block, "--kernel", f"^({names})$", "--format", "json", program)
    return {p["kernel"]: p["races"]["verdict"] for p in json.loads(text)["proofs"] if "races" in p} if text else {}


def main():
    racy, others, problems = {}, {}, []
    for source in sorted(glob.glob("tests/check/*.cu")):
        with open(source, encoding="utf-8") as text:
            if "__shared__" not in text.read():
                continue
        with tempfile.TemporaryDirectory() as folder:
            program = compiled(source, folder)
            launches = launches_of(source, program, folder)
            blocks = {block: [k for k, b in launches if b == block] for _, block in launches}
            verdicts = {(kernel, block): verdict for block, kernels in blocks.items()
                        for kernel, verdict in verdicts_of(program, block, kernels).items()}
        for (kernel, block), races in sorted(launches.items()):
            verdict = verdicts.get((kernel, block))
            if verdict is None:
                continue
            counts = racy if races else others
            counts[verdict] = counts.get(verdict, 0) + 1
            if races and verdict == "free":
                problems.append(f"{source}: {kernel}, blocks of {block}: races, but is proved free")
            if not races and verdict == "race":
                problems.append(f"{source}: {kernel}, blocks of {block}: is said to race, but no race is found")
    print(f"racy: {racy}; others: {others}")
    if sum(racy.values()) < FEWEST_RACY:
        problems.append(f"only {sum(racy.values())} kernels race")
    if others.get("free", 0) < FEWEST_FREE:
        problems.append(f"only {others.get('free', 0)} kernels without races are proved free")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    raise SystemExit(main())
