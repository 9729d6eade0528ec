"""Loads, stores and moves for tools/truth_isa.py: what becomes of a narrow value in a wide
register, and of the parts of a register.
"""

from isa_forms import Body
from isa_operands import bits_of

TYPES = ("b8", "u8", "s8", "b16", "u16", "s16", "b32", "u32", "s32", "f32", "b64", "u64", "s64",
         "f64")
PACKS = (("b32", "b16"), ("b64", "b16"), ("b64", "b32"), ("b128", "b64"))


def widths(kind):
    """Of registers that may hold the type: floats have their own."""
    bits = bits_of(kind)
    return [w for w in (16, 32, 64) if w == bits or w > bits and kind[0] != "f"]


def load_form(kind, width, count):
    """From the row itself, whose words are loaded into nothing else."""
    body = Body()
    body.kinds = ["b64"] * 4
    names = [f"%d{i}" for i in range(count)]
    for name in names:
        body.destination(name, f"b{width}")
    vector, operand = (f".v{count}", "{" + ", ".join(names) + "}") if count > 1 else ("", "%d0")
    return body.form(f"ld.global{vector}.{kind} {operand}, [%in]", 128, "move")


def store_form(kind, width):
    body = Body()
    body.source("%a", f"b{width}")
    body.results = []
    form = body.form(f"st.global.{kind} [%out], %a", 128, "move")
    form.results = ("b64",)  # what the store leaves of eight zero bytes
    return form


def pack_form(whole, part):
    body = Body()
    count = 2 if whole == "b128" else bits_of(whole) // bits_of(part)
    names = [body.source(f"%a{i}", part) for i in range(count)]
    if whole == "b128":
        body.declare("%d", 128)
        for name in ("%e0", "%e1"):
            body.destination(name, "b64")
        return body.form(f"mov.b128 %d, {{{', '.join(names)}}}", 128, "move", "",
                         "mov.b128 {%e1, %e0}, %d;\n")
    body.destination("%d", whole)
    return body.form(f"mov.{whole} %d, {{{', '.join(names)}}}", 128, "move")


def unpack_form(whole, part):
    body = Body()
    body.source("%a", whole)
    names = [f"%d{i}" for i in range(bits_of(whole) // bits_of(part))]
    for name in names:
        body.destination(name, part)
    return body.form(f"mov.{whole} {{{', '.join(names)}}}, %a", 128, "move")


def move_forms():
    for kind in TYPES:
        for width in widths(kind):
            yield store_form(kind, width)
            for count in (1, 2, 4):
                if count * bits_of(kind) <= 128:
                    yield load_form(kind, width, count)
    for whole, part in PACKS:
        yield pack_form(whole, part)
        if whole != "b128":
            yield unpack_form(whole, part)
