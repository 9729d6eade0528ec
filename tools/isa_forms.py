"""The instruction forms that tools/truth_isa.py asks a GPU about: all that the rows of
src/ptx/isa.def can spell, with operands of their types, one kernel for each.

A form that the compiler refuses is dropped later, so that what stands here may be too much.
"""

import itertools

from isa_operands import bits_of, offsets_of
from isa_rows import read_rows

HEAD = (".version 8.8\n.target sm_90a\n.address_size 64\n"
        ".extern .shared .align 1024 .b8 memory[];\n")
# Each thread has a row of operands at %in and a row of results at %out.
FRAME = """.visible .entry {name}(.param .u64 in, .param .u64 out) {{
.reg .b32 %thread, %block, %threads, %row;
.reg .b64 %in, %out;
mov.u32 %thread, %tid.x;
mov.u32 %block, %ctaid.x;
mov.u32 %threads, %ntid.x;
mad.lo.u32 %row, %block, %threads, %thread;
ld.param.u64 %in, [in];
ld.param.u64 %out, [out];
mad.wide.u32 %in, %row, {row_bytes}, %in;
mad.wide.u32 %out, %row, {result_bytes}, %out;
{body}ret;
}}
"""


class Form:
    """text: the instruction; kinds: of a row's operands; results: types of a row's results."""

    def __init__(self, text, kinds, results, body, rows, family, block=32, shared=0):
        self.text, self.kinds, self.results, self.body = text, kinds, results, body
        self.rows, self.family, self.block, self.shared = rows, family, block, shared
        self.table = None  # the operands' bytes where they are not those of isa_operands.table
        self.compare = "exact"

    def table_key(self):
        return self.table or (self.kinds, self.rows)

    def result_bytes(self):
        return offsets_of_results(self.results)[1]

    def kernel(self, name):
        return FRAME.format(name=name, row_bytes=offsets_of(self.kinds)[1],
                            result_bytes=self.result_bytes(), body=self.body)


def offsets_of_results(results):
    return offsets_of(results, result_size, least=1)


def result_size(kind):
    return 1 if kind == "pred" else bits_of(kind) // 8


# ---- Words of a row ---------------------------------------------------------------------------

def spellings(row):
    """All mnemonics of a row with the types in them, in the order of its pattern."""
    choices = []
    for element in row.elements:
        words = [(w, element.is_type) for w in sorted(element.words)]
        choices.append(([None] if element.is_optional else []) + words)
    for picked in itertools.product(*choices):
        words = [w for w in picked if w]
        yield (".".join([row.opcode] + [w for w, _ in words]),
               [w for w, is_type in words if is_type], {w for w, is_type in words if not is_type})


# ---- Types of operands ------------------------------------------------------------------------

def wide(kind):
    return f"{kind[0]}{2 * int(kind[1:])}"


SOURCES = {
    "shl": lambda t, w: [t[0], "count"], "shr": lambda t, w: [t[0], "count"],
    "shf": lambda t, w: [t[0], t[0], "count"], "bfe": lambda t, w: [t[0], "count", "count"],
    "bfi": lambda t, w: [t[0], t[0], "count", "count"], "bmsk": lambda t, w: ["count", "count"],
    "szext": lambda t, w: [t[0], "count"], "fns": lambda t, w: ["b32", "lane", "offset"],
    "dp4a": lambda t, w: [t[0], t[1], "s32"], "dp2a": lambda t, w: [t[0], t[1], "s32"],
    "set": lambda t, w: [t[1], t[1]], "slct": lambda t, w: [t[0], t[0], t[1]],
    "mad": lambda t, w: [t[0], t[0], wide(t[0]) if "wide" in w else t[0]],
    "cvt": lambda t, w: ["s32", "s32", "b32"] if "pack" in w else [t[1]] * 3,
}
DESTINATIONS = {
    "popc": lambda t, w: "u32", "clz": lambda t, w: "u32", "bfind": lambda t, w: "u32",
    "mul": lambda t, w: wide(t[0]) if "wide" in w else t[0],
    "mad": lambda t, w: wide(t[0]) if "wide" in w else t[0],
    "dp4a": lambda t, w: "s32", "dp2a": lambda t, w: "s32",
    "cvt": lambda t, w: "b32" if "pack" in w else t[0],
}


class Body:
    """The text of a kernel around one instruction."""

    def __init__(self):
        self.text, self.kinds, self.loads, self.results = "", [], [], []
        self.byte_bits = 32

    def declare(self, register, width):
        width = "pred" if width == 1 else f"b{width}"
        self.text += f".reg .{width} {register};\n"

    def register_bits(self, kind):
        """Of a byte's register what is above the byte counts, too."""
        return self.byte_bits if bits_of(kind) == 8 else bits_of(kind)

    def source(self, register, kind):
        """Declares a register that is loaded from the row."""
        if kind == "pred":
            self.declare(register, 1)
            self.declare(register + "w", 32)
        else:
            self.declare(register, self.register_bits(kind))
        self.kinds.append(kind)
        self.loads.append((register, kind))
        return register

    def destination(self, register, kind):
        bits = 1 if kind == "pred" else self.register_bits(kind)
        self.declare(register, bits)
        is_wider = bits > 1 and bits != bits_of(kind)
        self.results.append((register, f"b{bits}" if is_wider else kind))
        return register

    def load_all(self):
        for (register, kind), offset in zip(self.loads, offsets_of(self.kinds)[0]):
            if kind == "pred":
                self.text += (f"ld.global.u32 {register}w, [%in+{offset}];\n"
                              f"setp.ne.u32 {register}, {register}w, 0;\n")
            else:
                self.text += f"ld.global.b{self.register_bits(kind)} {register}, [%in+{offset}];\n"

    def store_all(self):
        kinds = [kind for _, kind in self.results]
        for (register, kind), offset in zip(self.results, offsets_of_results(kinds)[0]):
            if kind == "pred":
                self.declare(register + "w", 32)
                self.text += f"selp.u32 {register}w, 1, 0, {register};\n"
                self.text += f"st.global.b8 [%out+{offset}], {register}w;\n"
            else:
                self.text += f"st.global.b{bits_of(kind)} [%out+{offset}], {register};\n"

    def form(self, instruction, rows, family, before="", after="", **more):
        self.load_all()
        self.text += before + instruction + ";\n" + after
        self.store_all()
        results = tuple(kind for _, kind in self.results)
        return Form(instruction, tuple(self.kinds), results, self.text, rows, family, **more)


REGISTERS = ["%a", "%b", "%c", "%e", "%f"]


def operands_of(row, mnemonic, types, words, body, immediate):
    """The operands of an instruction, their registers declared in body."""
    sources = SOURCES.get(row.opcode, lambda t, w: [t[-1]] * 4)(types, words)
    destination = DESTINATIONS.get(row.opcode, lambda t, w: t[0])(types, words)
    has_more = bool(words & {"and", "or", "xor"})  # a third predicate
    out, names = [], list(REGISTERS)
    for letter in row.operands.split(","):
        if letter.endswith("?") and not has_more:
            break
        letter = letter.rstrip("?")
        if letter == "d":
            out.append(body.destination("%d", destination))
        elif letter == "q":
            out.append(body.destination("%p", "pred"))
        elif letter == "q2" and types[0] in ("f16", "bf16"):
            out.append(body.destination("%p", "pred"))
        elif letter == "q2":
            out.append(body.destination("%p", "pred") + "|" + body.destination("%q", "pred"))
        elif letter == "d2":
            out.append(body.destination("%d", destination) + "|" + body.destination("%p", "pred"))
        elif letter == "s":
            out.append(body.source(names.pop(0), sources.pop(0)))
        elif letter == "p":
            out.append(body.source(f"%s{len(out)}", "pred"))
        elif letter == "i":
            out.append(immediate)
    return ", ".join(out)


def plain_form(row, spelling, rows, family, immediate="0"):
    mnemonic, types, words = spelling
    body = Body()
    if "bf16" in types:  # a byte's register may be no wider than the other here
        body.byte_bits = 16
    operands = operands_of(row, mnemonic, types, words, body, immediate)
    before = after = ""
    if row.form in ("int_cc",) or row.opcode in ("addc", "subc", "madc"):
        before, after = carry(row, types[0], words, body)
    return body.form(f"{mnemonic} {operands}", rows, family, before, after)


def carry(row, kind, words, body):
    """Text that sets the carry that is read, by a row's word, and that reads the one written."""
    before = after = ""
    way = "sub" if row.opcode in ("sub", "subc") else "add"
    if row.opcode.endswith("c"):
        body.source("%g", "few")
        body.declare("%h", 32)
        before = f"{way}.cc.u32 %h, {'%g, -1' if way == 'add' else '0, %g'};\n"
    if "cc" in words:
        body.destination("%k", "u32")
        after = f"{way}c.u32 %k, 0, 0;\n"
    return before, after


# ---- Families ---------------------------------------------------------------------------------

LOGIC = {"and", "or", "xor", "not", "cnot", "lop3", "shl", "shr", "shf", "prmt", "popc", "clz",
         "bfind", "brev", "bfe", "bfi", "bmsk", "szext", "fns"}
LUTS = (0x00, 0x96, 0xe8, 0xca, 0x80, 0xfe, 0x1b, 0x57)
COMPARE = {"setp", "set", "selp", "slct", "testp"}
ROWS = {"integer": 512, "logic": 384, "float": 1024, "double": 1024, "half": 768, "compare": 160,
        "convert": 384, "approx": 4096}


def family_of(row, types, words):
    if words & {"approx", "full"}:
        return "approx"
    if row.opcode == "cvt":
        return "convert"
    if row.opcode in COMPARE:
        return "compare"
    if row.opcode in LOGIC:
        return "logic"
    if types[0] in ("f32", "f64"):
        return {"f32": "float", "f64": "double"}[types[0]]
    return "half" if "f16" in types[0] else "integer"


PLAIN = LOGIC | COMPARE | {
    "add", "sub", "addc", "subc", "mul", "mul24", "mad", "madc", "mad24", "sad", "div", "rem",
    "abs", "neg", "min", "max", "dp4a", "dp2a", "fma", "rcp", "sqrt", "copysign", "cvt",
    "ex2", "lg2", "sin", "cos", "rsqrt", "tanh"}


def plain_forms():
    for row in read_rows():
        if row.opcode not in PLAIN or row.is_refused or row.takes_anything:
            continue
        for spelling in spellings(row):
            mnemonic, types, words = spelling
            if types[0].endswith("f32x2"):
                continue
            family = family_of(row, types, words)
            for lut in LUTS if row.opcode == "lop3" else (0,):
                yield plain_form(row, spelling, ROWS[family], family, f"0x{lut:02x}")
