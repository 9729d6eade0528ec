"""Kinds ptx, diag and limits: .ptx files with their expectations in comments.

    // launch: kernel<<<1, 32>>>(out:u32[32], in:u32[32]=iota)
    // expect out: 0 1 0x2 3 *{4} 8..31
    // args: --arch sm_80
    // status: 1
    // stderr: regular expression
    // stdout: regular expression
    // gpu: why tools/gpu_ptx.py leaves the file out
    // blocks: why more blocks than one would do something else
    // error: 7:14: text of a diagnostic, `...` for any text
    // warning: 7:14: text

Several `launch:` lines are several runs; what stands before the first one holds for all. `expect`
lines of one buffer are joined. A value is decimal, hexadecimal bits, `nan` (any NaN), `a..b` (a
range of integers), or `*` (anything); `V{N}` repeats it, a last `...` leaves the rest open.
Comparison is bit for bit. The status is 0 unless given, 2 where errors are expected.

Where tests run as native code (BANKRUN_ENGINE=compile), launches of one block with whole warps are of
MORE_BLOCKS that all do the same: of the first one's accesses the interpreter learns what is known, and with
them it runs what lies between.
"""

import os
import re
import shlex
import struct
import tempfile

from .case import Case, Failure, check_sanitizers, shown, tail, text_of

DIRECTIVE = re.compile(
    r"^\s*//\s*(launch|expect\s+[\w$]+|args|status|stderr|stdout|gpu|blocks|error|warning):\s?(.*)$")
MORE_BLOCKS = 16
ONE_BLOCK = re.compile(r"<<<1, (?=(32|64|128|256)[,>])")
FLOATS = {"f16": ("<H", "<e", 10), "f32": ("<I", "<f", 23), "f64": ("<Q", "<d", 52),
          "bf16": ("<H", None, 7)}


def type_bytes(name):
    return int(re.sub(r"\D", "", name)) // 8


def float_bits(text, name):
    bits, form, _ = FLOATS[name]
    value = float(text)
    if form is None:  # bf16: the upper half of a float, to nearest even
        single = struct.unpack("<I", struct.pack("<f", value))[0]
        return (single + 0x7FFF + ((single >> 16) & 1)) >> 16
    try:
        packed = struct.pack(form, value)
    except OverflowError:
        packed = struct.pack(form, float("inf") if value > 0 else float("-inf"))
    return struct.unpack(bits, packed)[0]


def is_nan(bits, name):
    width, mantissa = 8 * type_bytes(name), FLOATS[name][2]
    exponent = (1 << (width - 1 - mantissa)) - 1
    return (bits >> mantissa) & exponent == exponent and bits & ((1 << mantissa) - 1) != 0


def expand(text, name):
    """The list of expected values: bits, "nan", None for anything; and whether the rest is open."""
    values, is_open = [], False
    for word in text.split():
        if word == "...":
            is_open = True
            continue
        match = re.fullmatch(r"(.+?)\{(\d+)\}", word)
        word, times = (match[1], int(match[2])) if match else (word, 1)
        span = re.fullmatch(r"(-?\d+)\.\.(-?\d+)", word)
        if word == "*":
            one = [None]
        elif span:
            one = [float_bits(str(v), name) if name in FLOATS else v & mask(name)
                   for v in range(int(span[1]), int(span[2]) + 1)]
        elif word.lower().startswith("0x"):
            one = [int(word, 16)]
        elif name in FLOATS:
            one = ["nan"] if word == "nan" else [float_bits(word, name)]
        else:
            one = [int(word) & mask(name)]
        values += one * times
    return values, is_open


def mask(name):
    return (1 << 8 * type_bytes(name)) - 1


def compare(data, name, text, buffer):
    """Raises Failure where a buffer's bytes are not what an expect line says."""
    size = type_bytes(name)
    actual = [int.from_bytes(data[i:i + size], "little") for i in range(0, len(data), size)]
    expected, is_open = expand(text, name)
    if len(expected) > len(actual) or (len(expected) < len(actual) and not is_open):
        raise Failure(f"{buffer} has {len(actual)} values, {len(expected)} are expected")
    wrong = []
    for i, (want, got) in enumerate(zip(expected, actual)):
        if want is None or want == got or (want == "nan" and is_nan(got, name)):
            continue
        want = want if want == "nan" else show(want, name)
        wrong.append(f"    {buffer}[{i}]: expected {want}, got {show(got, name)}")
    if wrong:
        more = [f"    and {len(wrong) - 12} more"] if len(wrong) > 12 else []
        raise Failure("\n".join(wrong[:12] + more))


def show(bits, name):
    size = type_bytes(name)
    text = f"0x{bits:0{2 * size}x}"
    if name in FLOATS and FLOATS[name][1]:
        form, view, _ = FLOATS[name]
        return f"{text} ({struct.unpack(view, struct.pack(form, bits))[0]!r})"
    if name.startswith("s"):
        bits -= (bits >> (8 * size - 1)) << (8 * size)
    return f"{text} ({bits})"


def buffer_type(launch, name):
    match = re.search(r"(?<![\w$])" + re.escape(name) + r"\s*:\s*(bf16|[usfb]\d+)\s*\[", launch)
    if not match:
        raise Failure(f"the launch has no buffer '{name}'")
    return match[1]


class Run:
    def __init__(self, launch=None, base=None):
        self.launch = launch
        self.expect = dict(base.expect) if base else {}
        self.args = list(base.args) if base else []
        self.status = base.status if base else None
        self.stderr = list(base.stderr) if base else []
        self.stdout = list(base.stdout) if base else []
        self.diags = list(base.diags) if base else []
        self.gpu = base.gpu if base else None
        self.one_block = base.one_block if base else False


def read_runs(path):
    base = Run()
    runs, asks_block = [], False
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            match = DIRECTIVE.match(line)
            asks_block |= "%ctaid" in line
            if not match:
                continue
            word, text = match[1].split(), match[2].strip()
            run = runs[-1] if runs else base
            if word[0] == "launch":
                runs.append(Run(text, base))
            elif word[0] == "expect":
                run.expect[word[1]] = run.expect.get(word[1], "") + " " + text
            elif word[0] == "gpu":
                run.gpu = text
            elif word[0] == "blocks":
                run.one_block = True
            elif word[0] == "args":
                run.args += shlex.split(text)
            elif word[0] == "status":
                run.status = int(text)
            elif word[0] in ("stderr", "stdout"):
                getattr(run, word[0]).append(text)
            else:
                run.diags.append(f"{word[0]}: {text}")
    for run in runs:
        run.one_block |= asks_block
    return runs or [base]


def check_diags(run, stderr, shown_path):
    """The file's diagnostics, all of them and in order, are the expected ones."""
    found = []
    for line in stderr.splitlines():
        match = re.match(re.escape(shown_path) + r":(\d+:\d+): (error|warning): (.*)$", line)
        if match:
            found.append(f"{match[2]}: {match[1]}: {match[3]}")
    fits = len(found) == len(run.diags) and all(
        re.fullmatch(".*".join(map(re.escape, want.split("..."))), got)
        for want, got in zip(run.diags, found))
    if not fits:
        listing = ["    expected " + d for d in run.diags] + ["    got      " + d for d in found]
        raise Failure("diagnostics differ\n" + "\n".join(listing))


def launch_of(run):
    """Options: the launch, on one thread where it is of more blocks."""
    if not run.launch:
        return []
    if os.environ.get("BANKRUN_ENGINE") != "compile" or run.one_block or run.status or not run.expect:
        return ["--launch", run.launch]
    return ["--threads", "1", "--launch", ONE_BLOCK.sub(f"<<<{MORE_BLOCKS}, ", run.launch)]


def check_run(context, path, run):
    with tempfile.TemporaryDirectory(dir=context.scratch) as folder:
        command = [context.bankrun, path] + launch_of(run)
        dumps = {name: os.path.join(folder, f"{i}") for i, name in enumerate(run.expect)}
        for name, file in dumps.items():
            command += ["--dump", f"{name}={file}"]
        command += run.args
        process = context.execute(command, checks_leaks=True)
        check_sanitizers(process)
        status = run.status if run.status is not None else 2 if run.diags else 0
        if process.returncode != status:
            raise Failure(f"status {process.returncode} instead of {status}: {shown(command)}\n"
                          + tail(process.stderr))
        if run.diags:
            check_diags(run, text_of(process.stderr), path)
        for stream in ("stderr", "stdout"):
            for pattern in getattr(run, stream):
                if not re.search(pattern, text_of(getattr(process, stream)), re.MULTILINE):
                    raise Failure(f"{stream} does not match /{pattern}/: {shown(command)}\n"
                                  + tail(getattr(process, stream)))
        for name, file in dumps.items():
            with open(file, "rb") as data:
                compare(data.read(), buffer_type(run.launch, name), run.expect[name], name)


def collect_in(context, kind):
    def case(name):
        path = os.path.join("tests", kind, name)

        def run():
            for one in read_runs(context.path(path)):
                check_run(context, path, one)
        return Case(kind, name, run)
    return [case(name) for name in context.files(kind, ".ptx")]


def collect(context):
    return [c for kind in ("ptx", "diag", "limits") for c in collect_in(context, kind)]
