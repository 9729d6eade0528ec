"""A second opinion on proofs: what `bankrun prove` says of random accesses is asked of Z3, as formulas
over bit vectors. An access is one of a warp whose index is a random expression of the thread and of
three parameters, behind random conditions.

    tests/cli/prove_solver.py [SEED [COUNT]]
"""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

BANKRUN = os.environ.get("BANKRUN", "build/bankrun")
LANES, BANKS = 32, 32
# Counted in steps of the solver, so that what it can decide does not depend on the machine.
STEPS = 300000


def word(value):
    return f"#x{value & 0xffffffff:08x}"


class Kernel:
    """The text of a kernel, and what its instructions mean as terms of SMT-LIB: `t` is the thread, `a`,
    `b` and `c` are the parameters."""

    def __init__(self, name, rand):
        self.name, self.rand = name, rand
        self.lines, self.terms, self.guards = [], [], []
        for index, source in enumerate(("%tid.x", "[a]", "[b]", "[c]")):
            how = "mov.u32" if index == 0 else "ld.param.u32"
            self.lines.append(f"{how} %r{index}, {source};")
            self.terms.append("tabc"[index])
        self.size = rand.choice((128, 512, 1000, 1024, 4096))
        self.width = rand.choice((1, 2, 4, 4, 4, 8))
        for _ in range(rand.randint(1, 5)):
            self.add_value()
            if rand.random() < 0.4:
                self.add_condition()
        self.finish()

    def define(self, text, term):
        self.lines.append(text.replace("$", f"%r{len(self.terms)}"))
        self.terms.append(term)

    def add_value(self):
        rand, x = self.rand, self.rand.randrange(len(self.terms))
        y = rand.randrange(len(self.terms))
        if rand.random() < 0.6:
            x = rand.choice((0, len(self.terms) - 1))
        number = rand.choice((1, 2, 3, 4, 7, 8, 12, 15, 16, 31, 32, 33, 64, 127, 255, 1023))
        shift = rand.randint(1, 7)
        a, b = self.terms[x], self.terms[y]
        self.define(*rand.choice((
            (f"add.u32 $, %r{x}, {number};", f"(bvadd {a} {word(number)})"),
            (f"sub.u32 $, %r{x}, {number};", f"(bvsub {a} {word(number)})"),
            (f"add.u32 $, %r{x}, %r{y};", f"(bvadd {a} {b})"),
            (f"sub.u32 $, %r{x}, %r{y};", f"(bvsub {a} {b})"),
            (f"mul.lo.u32 $, %r{x}, {number};", f"(bvmul {a} {word(number)})"),
            (f"mad.lo.u32 $, %r{x}, {number}, %r{y};", f"(bvadd (bvmul {a} {word(number)}) {b})"),
            (f"mul.lo.u32 $, %r{x}, %r{y};", f"(bvmul {a} {b})"),
            (f"and.b32 $, %r{x}, {number};", f"(bvand {a} {word(number)})"),
            (f"or.b32 $, %r{x}, {number};", f"(bvor {a} {word(number)})"),
            (f"xor.b32 $, %r{x}, %r{y};", f"(bvxor {a} {b})"),
            (f"xor.b32 $, %r{x}, {number};", f"(bvxor {a} {word(number)})"),
            (f"shl.b32 $, %r{x}, {shift};", f"(bvshl {a} {word(shift)})"),
            (f"shr.u32 $, %r{x}, {shift};", f"(bvlshr {a} {word(shift)})"),
            (f"shr.s32 $, %r{x}, {shift};", f"(bvashr {a} {word(shift)})"),
            (f"min.u32 $, %r{x}, {number};", f"(ite (bvult {a} {word(number)}) {a} {word(number)})"),
            (f"max.s32 $, %r{x}, {number};", f"(ite (bvsgt {a} {word(number)}) {a} {word(number)})"),
            (f"rem.u32 $, %r{x}, {number};", f"(bvurem {a} {word(number)})"),
            (f"neg.s32 $, %r{x};", f"(bvneg {a})"),
        )))

    def add_condition(self):
        rand = self.rand
        x = rand.randrange(len(self.terms))
        a = self.terms[x]
        number = rand.choice((0, 1, 8, 16, 30, 32, 64, 100, 250, 1000))
        name, test = rand.choice((("lt.u32", "bvult"), ("le.u32", "bvule"), ("gt.u32", "bvugt"),
                                  ("lt.s32", "bvslt"), ("ge.s32", "bvsge"), ("le.s32", "bvsle"),
                                  ("eq.u32", "="), ("ne.u32", "distinct")))
        if rand.random() < 0.3:
            y = rand.randrange(len(self.terms))
            other, term = f"%r{y}", self.terms[y]
        else:
            other, term = str(number), word(number)
        guard = f"%p{len(self.guards)}"
        self.lines.append(f"setp.{name} {guard}, %r{x}, {other}; @!{guard} bra done;")
        self.guards.append(f"({test} {a} {term})")

    def finish(self):
        """The last value is the index of the access."""
        index = len(self.terms) - 1
        scale = self.rand.choice((self.width, self.width, 1))
        self.offset = f"(bvmul {self.terms[index]} {word(scale)})"
        value = "%rd1" if self.width == 8 else "%r0"
        self.lines.append(f"mul.lo.u32 %r90, %r{index}, {scale}; add.u32 %r91, %r90, %r92;")
        self.lines.append(f"st.shared.u{8 * self.width} [%r91], {value};")

    def text(self):
        body = "\n    ".join(self.lines)
        return f""".visible .entry {self.name}(.param .u32 a, .param .u32 b, .param .u32 c)
.maxntid {LANES}, 1, 1
{{
    .reg .pred %p<16>;
    .reg .b32 %r<100>;
    .reg .b64 %rd<2>;
    .shared .align 8 .b8 s_{self.name}[{self.size}];
    mov.u32 %r92, s_{self.name};
    mov.u64 %rd1, 0;
    {body}
done:
    ret;
}}
"""

    def function(self):
        guards = " ".join(["true"] + self.guards)
        arguments = "((t W) (a W) (b W) (c W))"
        return (f"(define-fun at_{self.name} {arguments} W {self.offset})\n"
                f"(define-fun on_{self.name} {arguments} Bool (and (bvult t {word(LANES)}) {guards}))\n")


class Questions:
    """What must have no solution, or one."""

    def __init__(self):
        self.text, self.asked = [], []

    def ask(self, kernel, claim, wanted, lanes, *conditions):
        lines = ["(push)"] + [f"(declare-const t{i} W)" for i in range(lanes)]
        lines += [f"(assert {condition})" for condition in conditions]
        self.text += lines + ["(check-sat)", "(pop)"]
        self.asked.append((kernel, claim, wanted))

    def run(self, solver, functions):
        head = (f"(set-option :rlimit {STEPS})\n(define-sort W () (_ BitVec 32))\n(declare-const a W)\n"
                "(declare-const b W)\n(declare-const c W)\n")
        result = subprocess.run([solver, "-in"], input=head + functions + "\n".join(self.text),
                                stdout=subprocess.PIPE, text=True, check=False)
        answers = result.stdout.split("\n")[:-1]
        if len(answers) != len(self.asked):
            sys.exit(f"z3 answers {len(answers)} of {len(self.asked)} questions: {result.stdout[:400]}")
        return zip(self.asked, answers)


def ask_bounds(questions, kernel, access):
    bounds, name = access["bounds"], kernel.name
    fits = f"(bvule (at_{name} t0 a b c) {word(kernel.size - kernel.width)})"
    on = f"(on_{name} t0 a b c)"
    if bounds["verdict"] == "proved":
        questions.ask(kernel, "stays in its array", "unsat", 1, on, f"(not {fits})")
    elif bounds["verdict"] == "conditional":
        offset = "abc"[bounds["parameter_offset"] // 4]
        limits = [f"(bvsle {offset} {word(bounds['most'])})"] * ("most" in bounds)
        limits += [f"(bvsge {offset} {word(0)})"] * ("from" in bounds)
        questions.ask(kernel, f"stays in its array unless {bounds['condition']}", "unsat", 1, on,
                      f"(not {fits})", *limits)
    elif bounds["verdict"] == "violated":
        thread = f"(= t0 {word(bounds['thread'][0])})"
        if bounds["always"]:
            questions.ask(kernel, f"thread {bounds['thread'][0]} always leaves the array", "unsat", 1,
                          thread, f"(not (and {on} (not {fits})))")
        else:
            questions.ask(kernel, f"thread {bounds['thread'][0]} leaves if it comes there", "unsat", 1,
                          thread, on, fits)
    if access.get("alignment", {}).get("verdict") == "proved":
        questions.ask(kernel, "is aligned", "unsat", 1, on,
                      f"(distinct (bvurem (at_{name} t0 a b c) {word(kernel.width)}) {word(0)})")


def in_one_bank(name, count):
    """Threads t0 < t1 < ... that want as many words of one bank."""
    conditions = [f"(on_{name} t{i} a b c)" for i in range(count)]
    words = [f"(bvlshr (at_{name} t{i} a b c) {word(2)})" for i in range(count)]
    conditions += [f"(= (bvand {w} {word(BANKS - 1)}) (bvand {words[0]} {word(BANKS - 1)}))"
                   for w in words[1:]]
    return conditions + [f"(bvult t{i} t{i + 1})" for i in range(count - 1)] + [
        "(distinct " + " ".join(words) + ")"]


def ask_degree(questions, kernel, access):
    """Of accesses of up to 4 bytes: as many wavefronts as words of one bank. Stores to one address
    are one word; those of single bytes are made one after the other, and left out."""
    if kernel.width != 4 or access.get("alignment", {}).get("verdict") != "proved":
        return
    if access["verdict"] not in ("exact", "full", "bounded", "depends") or not access.get("degree"):
        return
    degree = access["degree"]
    if degree <= 3:
        questions.ask(kernel, f"at most {degree}-way", "unsat", degree + 1,
                      *in_one_bank(kernel.name, degree + 1))
    if access["verdict"] == "exact" and 2 <= degree <= 4:
        # Every request is so; there need not be any.
        questions.ask(kernel, "is reached", None, 1, f"(on_{kernel.name} t0 a b c)")
        questions.ask(kernel, f"{degree}-way where it is reached", "sat", degree,
                      *in_one_bank(kernel.name, degree))


def prove(kernels, folder):
    path = os.path.join(folder, "random.ptx")
    with open(path, "w", encoding="utf-8") as file:
        file.write(".version 7.8\n.target sm_90\n.address_size 64\n" + "".join(k.text() for k in kernels))
    command = [BANKRUN, "prove", "--format", "json", "-v", "--block", str(LANES), path]
    result = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if result.returncode:
        sys.exit(f"status {result.returncode}: {' '.join(command)}")
    return {proof["kernel"]: proof for proof in json.loads(result.stdout)["proofs"]}


def compare(seed, count, solver, folder):
    rand = random.Random(seed)
    kernels = [Kernel(f"k{i}", rand) for i in range(count)]
    proofs = prove(kernels, folder)
    questions = Questions()
    for kernel in kernels:
        for access in proofs[kernel.name]["accesses"]:
            if "bounds" in access:
                ask_bounds(questions, kernel, access)
                ask_degree(questions, kernel, access)
    agreed = failed = 0
    is_reached = True
    for (kernel, claim, wanted), answer in questions.run(solver, "".join(k.function() for k in kernels)):
        if wanted is None:
            is_reached = answer == "sat"
            continue
        if wanted == "sat" and not is_reached:
            continue
        agreed += answer == wanted
        if answer in ("sat", "unsat") and answer != wanted:
            failed += 1
            print(f"seed {seed}: bankrun says that it {claim}; Z3 says {answer}\n{kernel.text()}")
    print(f"{count} accesses: of what is said of them Z3 agrees with {agreed} claims, contradicts {failed}")
    return agreed, failed


def main():
    solver = shutil.which("z3")
    if not solver:
        print("z3 is not there")
        return 77
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 150
    with tempfile.TemporaryDirectory() as folder:
        agreed, failed = compare(seed, count, solver, folder)
    return 1 if failed or agreed < count // 2 else 0


if __name__ == "__main__":
    sys.exit(main())
