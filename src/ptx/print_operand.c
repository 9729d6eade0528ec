// Instructions and operands as PTX.
#include <inttypes.h>

#include "ptx/print.h"

static void print_list(const struct ptx_operand *elements, size_t count, struct strbuf *out) {
    for (size_t i = 0; i < count; i++) {
        if (i)
            strbuf_puts(out, ", ");
        ptx_print_operand(&elements[i], out);
    }
}

static void print_name(const struct ptx_operand *operand, struct strbuf *out) {
    strbuf_puts(out, operand->name);
    if (operand->offset)
        strbuf_printf(out, "%+" PRId64, operand->offset);
}

static void print_address(const struct ptx_operand *operand, struct strbuf *out) {
    strbuf_puts(out, "[");
    ptx_print_operand(operand->base, out);
    if (operand->offset)
        strbuf_printf(out, "%+" PRId64, operand->offset);
    if (operand->element_count)
        strbuf_puts(out, ", ");
    print_list(operand->elements, operand->element_count, out);
    strbuf_puts(out, "]");
}

static void print_plain(const struct ptx_operand *operand, struct strbuf *out) {
    switch (operand->kind) {
    case PTX_OPERAND_REGISTER:
    case PTX_OPERAND_SYMBOL:
        print_name(operand, out);
        break;
    case PTX_OPERAND_SREG:
        strbuf_printf(out, "%%%s", ptx_sreg_text(operand->sreg));
        break;
    case PTX_OPERAND_INTEGER:
        strbuf_printf(out, "%" PRId64, (int64_t)operand->integer);
        break;
    case PTX_OPERAND_FLOAT:
        if (operand->is_single)
            strbuf_printf(out, "0f%08" PRIX32, (uint32_t)operand->integer);
        else
            strbuf_printf(out, "0d%016" PRIX64, operand->integer);
        break;
    case PTX_OPERAND_ADDRESS:
        print_address(operand, out);
        break;
    case PTX_OPERAND_VECTOR:
    case PTX_OPERAND_LIST:
        strbuf_puts(out, operand->kind == PTX_OPERAND_VECTOR ? "{" : "(");
        print_list(operand->elements, operand->element_count, out);
        strbuf_puts(out, operand->kind == PTX_OPERAND_VECTOR ? "}" : ")");
        break;
    case PTX_OPERAND_SINK:
    case PTX_OPERAND_NONE:
        strbuf_puts(out, "_");
        break;
    }
}

void ptx_print_operand(const struct ptx_operand *operand, struct strbuf *out) {
    if (operand->is_negated)
        strbuf_puts(out, operand->is_minus ? "-" : "!");
    print_plain(operand, out);
    if (operand->component)
        strbuf_printf(out, ".%c", (int)operand->component);
    if (operand->selector)
        strbuf_printf(out, ".%s", operand->selector);
    if (operand->pair) {
        strbuf_puts(out, "|");
        ptx_print_operand(operand->pair, out);
    }
}

void ptx_print_mnemonic(const struct ptx_instruction *instruction, struct strbuf *out) {
    strbuf_puts(out, instruction->mnemonic);
}

void ptx_print_instruction(const struct ptx_instruction *instruction, struct strbuf *out) {
    const struct ptx_guard *guard = &instruction->guard;
    if (guard->name)
        strbuf_printf(out, "@%s%s ", guard->is_negated ? "!" : "", guard->name);
    ptx_print_mnemonic(instruction, out);
    if (instruction->operand_count)
        strbuf_puts(out, " ");
    print_list(instruction->operands, instruction->operand_count, out);
}
