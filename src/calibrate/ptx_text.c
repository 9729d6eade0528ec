// The kernel that measures one instruction, as PTX text, so that a driver is all that is needed.
#include "calibrate/calibrate.h"

// The driver turns PTX for an older architecture into code for a newer one; nothing measured here
// needs more than 9.0.
static const struct {
    unsigned arch;
    const char *version;
} targets[] = {{90, "7.8"}, {89, "7.8"}, {87, "7.4"}, {86, "7.1"}, {80, "7.0"},
               {75, "6.5"}, {72, "6.1"}, {70, "6.0"}, {61, "5.0"}, {50, "4.0"}};
enum { TARGETS = sizeof targets / sizeof *targets };

static const char declarations[] =
    ".address_size 64\n"
    ".extern .shared .align 1024 .b8 data[];\n"
    ".visible .entry measure(.param .u64 patterns, .param .u64 cycles) {\n"
    "  .reg .pred on, again, first;\n"
    "  .reg .b32 a, v, r0, r1, r2, r3, sink, thread, lane, block, mask, at, begin, end, best;\n"
    "  .reg .b32 repeat, turn, zero, none;\n"
    "  .reg .b64 d0, d1, w, in, out, step;\n"
    "  .reg .f32 f0;\n"
    "  .reg .f64 e0;\n";

static const char start[] = "  mov.u32 thread, %%tid.x;\n"
                            "  and.b32 lane, thread, 31;\n"
                            "  mov.u32 block, %%ctaid.x;\n"
                            "  ld.param.u64 in, [patterns];\n"
                            "  ld.param.u64 out, [cycles];\n"
                            "  mul.wide.u32 step, block, 132;\n" // a mask and 32 offsets
                            "  add.u64 in, in, step;\n"
                            "  mul.wide.u32 step, block, 4;\n"
                            "  add.u64 out, out, step;\n"
                            "  ld.global.u32 mask, [in];\n"
                            "  mul.wide.u32 step, lane, 4;\n"
                            "  add.u64 in, in, step;\n"
                            "  ld.global.u32 a, [in+4];\n"
                            "  mov.u32 at, data;\n"
                            "  add.u32 a, a, at;\n"
                            "  shr.u32 mask, mask, lane;\n"
                            "  and.b32 mask, mask, 1;\n"
                            "  setp.ne.u32 on, mask, 0;\n"
                            "  add.u32 v, lane, 1;\n"
                            "  cvt.u64.u32 w, v;\n"
                            "  mov.u32 zero, 0;\n"
                            "  mov.u32 none, %%nctaid.z;\n" // 1, which the compiler cannot know
                            "  sub.u32 none, none, 1;\n"
                            "  mov.u32 sink, 0;\n"
                            "  mov.u32 best, 0xffffffff;\n"
                            "  mad.lo.u32 at, thread, 4, at;\n"
                            "  mov.u32 turn, 0;\n"
                            "clear:\n"
                            "  st.shared.u32 [at], zero;\n"
                            "  add.u32 at, at, 4096;\n"
                            "  add.u32 turn, turn, 1;\n"
                            "  setp.lt.u32 again, turn, %u;\n"
                            "  @again bra clear;\n"
                            "  mov.u32 repeat, 0;\n";

// The first of the repeats loads the code; the best one counts.
static const char before[] = "next:\n"
                             "  bar.sync 0;\n"
                             "  mov.u32 begin, %clock;\n"
                             "  @!on bra done;\n"
                             "  mov.u32 turn, 0;\n"
                             "copies:\n";
static const char after[] =
    "  add.u32 turn, turn, 1;\n"
    "  setp.lt.u32 again, turn, %u;\n"
    "  @again bra copies;\n"
    "done:\n"
    "  bar.sync 0;\n"
    "  mov.u32 end, %%clock;\n"
    "  sub.u32 end, end, begin;\n"
    "  min.u32 best, best, end;\n"
    "  add.u32 repeat, repeat, 1;\n"
    "  setp.lt.u32 again, repeat, 4;\n"
    "  @again bra next;\n"
    "  setp.eq.u32 first, thread, 0;\n"
    "  @first st.global.u32 [out], best;\n"
    "  setp.eq.u32 first, sink, 0x12345;\n" // never so, but the compiler cannot know
    "  @first st.global.u32 [out], sink;\n"
    "  ret;\n"
    "}\n";

enum { UNROLLED = 8 };

// Each copy gets its address anew, so that none is taken for a repetition of the one before.

void calibrate_write_ptx(const struct calibrate_instruction *instruction, unsigned arch,
                         struct strbuf *out) {
    size_t target = 0;
    while (target + 1 < TARGETS && targets[target].arch > arch)
        target++;
    strbuf_printf(out, ".version %s\n.target sm_%u\n", targets[target].version,
                  targets[target].arch);
    strbuf_puts(out, declarations);
    strbuf_printf(out, start, CALIBRATE_SHARED_BYTES / 4096);
    strbuf_puts(out, before);
    for (unsigned i = 0; i < UNROLLED; i++)
        strbuf_printf(out, "    %s\n    add.u32 a, a, none;\n", instruction->ptx);
    strbuf_printf(out, after, CALIBRATE_COPIES / UNROLLED);
}
