// bankrun layout: the padding or swizzle of a shared array that suits all its accesses.
#include <string.h>

#include "cli/commands.h"
#include "cli/explain.h"
#include "cli/layout.h"

static void help(void) {
    fputs(
        "Usage: bankrun layout EXPRESSION... --shared DECLARATION [OPTIONS]\n"
        "\n"
        "Finds the layouts of a shared array in which its accesses conflict the least: tries row\n"
        "padding and XOR swizzles on what every warp of the block asks for, and shows those than\n"
        "which no other is better in wavefronts, bytes and work for the index at once.\n"
        "\n"
        "    bankrun layout --store 'tile[ty][tx]' --load 'tile[tx][ty]' \\\n"
        "        --shared 'float tile[32][32]' --block 32x32\n"
        "    bankrun layout 's[2*tid]' 's[2*tid+1]' --shared 'float s[512]' --block 256\n"
        "    bankrun layout --access ldmatrix.x4 'a[laneid % 16][8 * (laneid / 16)]' \\\n"
        "        --shared 'half a[16][64]'\n"
        "\n"
        "--load, --store, --atomic, --access, --width and --if hold for the expressions that\n"
        "follow them; behind all of them, for all. A swept name (--let k=0..31) stands for a\n"
        "loop: all its rounds count. Names are those of bankrun explain, and tx, ty, tz, bx, by,\n"
        "bz for threadIdx and blockIdx.\n"
        "\n",
        stdout);
    options_print_help(CLI_LAYOUT, stdout);
    fputs(
        "\nExit status: 0; 1: the array as it is cannot be accessed so; 2: the command line or an\n"
        "expression is wrong.\n",
        stdout);
}

static int show(const struct layout_question *question) {
    const struct cli_options *options = question->options;
    const struct answer_look look = answer_look(options);
    struct strbuf text = {0};
    if (options->format == REPORT_TEXT)
        layout_write_text(question, look.has_color, look.width, &text);
    else if (options->format == REPORT_CSV)
        layout_write_csv(question, &text);
    else
        layout_write_json(question, &text);
    const bool is_written = show_answer(&text, options->format == REPORT_TEXT, options);
    strbuf_free(&text);
    return is_written ? CLI_OK : CLI_USAGE;
}

static int answer(struct layout_question *question) {
    struct diag_list diags = {0};
    int status = CLI_USAGE;
    if (explain_read_launch(question->options, &question->launch) && layout_ask(question, &diags))
        status = layout_search(question, &diags) ? CLI_OK : CLI_FAULT;
    print_diags(&diags, question->options);
    return status == CLI_OK ? show(question) : status;
}

static void free_question(struct layout_question *question) {
    for (size_t i = 0; i < question->results.length; i++)
        fix_answers_free(&question->results.data[i].answers);
    vec_free(&question->results);
    vec_free(&question->requests);
    vec_free(&question->accesses);
    map_free(&question->seen);
    arena_destroy(question->arena);
}

static int dispatch(struct layout_question *question) {
    const struct cli_options *options = question->options;
    if (options->help) {
        help();
        return CLI_OK;
    }
    if (options->explain.bank_mode == 8 && options->arch && options->arch / 10 != 3)
        cli_error("--bank-mode 8: only 3.x has it, not sm_%u", options->arch);
    else if (question->accesses.length == 0)
        cli_error("which accesses? bankrun layout 'tile[ty][tx]' 'tile[tx][ty]' --shared 'float "
                  "tile[32][32]' --block 32x32; see bankrun layout --help");
    else if (!options->explain.shared)
        cli_error("which array? --shared 'float tile[32][32]' declares it");
    else
        return answer(question);
    return CLI_USAGE;
}

static bool is_same_access(const struct cli_explain *a, const struct cli_explain *b) {
    return a->access == b->access && a->width == b->width && a->instruction == b->instruction &&
           a->condition == b->condition;
}

// Options that stand behind all expressions hold for all where no expression has its own.
static bool apply_last(struct layout_question *question) {
    const struct cli_explain none = {0}, *last = &question->options->explain;
    const size_t count = question->accesses.length;
    if (count == 0 || is_same_access(last, &question->accesses.data[count - 1].asked))
        return true;
    for (size_t i = 0; i < count; i++)
        if (!is_same_access(&question->accesses.data[i].asked, &none)) {
            cli_error("what the access is stands before its expression: behind '%s' it holds for "
                      "none",
                      question->accesses.data[count - 1].expression);
            return false;
        }
    for (size_t i = 0; i < count; i++)
        question->accesses.data[i].asked = *last;
    return true;
}

int cmd_layout(int argc, char **argv) {
    struct cli_options options;
    options_init(&options);
    struct layout_question question = {.options = &options, .arena = arena_create()};
    int at = 0;
    while ((at = options_parse(&options, CLI_LAYOUT, argc, argv, at)) >= 0 && at < argc)
        vec_push(&question.accesses,
                 (struct layout_access){.expression = argv[at++], .asked = options.explain});
    const int status = at < 0 || !apply_last(&question) ? CLI_USAGE : dispatch(&question);
    free_question(&question);
    options_free(&options);
    return status;
}
