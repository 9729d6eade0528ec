// bankrun explain: how an index expression, or a file of raw requests, meets the banks.
#include <string.h>

#include "base/arena.h"
#include "cli/commands.h"
#include "cli/explain.h"

static void help(void) {
    fputs(
        "Usage: bankrun explain EXPRESSION --shared DECLARATION [OPTIONS]\n"
        "       bankrun explain --requests FILE.csv[.gz] [OPTIONS]\n"
        "\n"
        "Shows which banks the lanes of a warp meet when they access shared memory through an\n"
        "index expression of CUDA C: wavefronts, ideal, degree of the conflict, and a picture.\n"
        "Or reads raw requests and writes them with their costs as CSV.\n"
        "\n"
        "    bankrun explain 'tile[threadIdx.x][threadIdx.y]' --shared 'float tile[32][32]' \\\n"
        "        --block 32x32\n"
        "    bankrun explain 'tile[tid][k]' --shared 'float tile[32][32+pad]' --let k=0 \\\n"
        "        --let pad=0..4\n"
        "    bankrun explain '*(float4*)&s[4*tid]' --shared 'float s[128]' --store\n"
        "    bankrun explain 's[IDX(tid)]' --shared 'float s[64]' --let 'IDX(i)=i+i/32'\n"
        "    bankrun explain 's[tid]' --shared 'char s[32]' --arch all\n"
        "    bankrun explain --requests truth/h200_patterns.csv.gz -o costs.csv\n"
        "\n"
        "Names in an expression: threadIdx, blockIdx, blockDim, gridDim (.x, .y, .z), tid (the\n"
        "thread's number in its block), laneid, warpid, warpSize, those of --let, min, max, abs.\n"
        "\n",
        stdout);
    options_print_help(CLI_EXPLAIN, stdout);
    fputs(
        "\nExit status: 0; 1: a lane leaves its array or is misaligned; 2: the command line, the\n"
        "expression or a row is wrong.\n",
        stdout);
}

static bool parse_shape(const char *option, const char *text, uint32_t least, uint32_t shape[3]) {
    if (explain_read_shape(text, least, shape))
        return true;
    cli_error("--%s: '%s' is not of the form %s", option, text,
              least ? "N, NxM or NxMxK" : "X, X,Y or X,Y,Z");
    return false;
}

bool explain_read_launch(const struct cli_options *options, struct explain_launch *launch) {
    const struct cli_explain *asked = &options->explain;
    *launch = (struct explain_launch){.grid = {1, 1, 1},
                                      .block = {BANKRUN_LANES, 1, 1},
                                      .base = (uint32_t)asked->base,
                                      .width = asked->width};
    if (asked->block) {
        launch->block[0] = 1;
        if (!parse_shape("block", asked->block, 1, launch->block))
            return false;
    }
    if ((asked->grid && !parse_shape("grid", asked->grid, 1, launch->grid)) ||
        (asked->block_index &&
         !parse_shape("block-index", asked->block_index, 0, launch->block_index)))
        return false;
    const char *wrong = explain_check_block(launch->block);
    if (wrong) {
        cli_error("--block: %s: %s", asked->block, wrong);
        return false;
    }
    for (int axis = 0; axis < 3; axis++)
        if (launch->block_index[axis] >= launch->grid[axis] && asked->grid) {
            cli_error("--block-index: %s lies outside of the grid", asked->block_index);
            return false;
        }
    return true;
}

static bool has_problem(const struct explain_answer *answer) {
    for (size_t r = 0; r < answer->rows.length; r++)
        for (size_t g = 0; g < answer->rows.data[r].group_count; g++) {
            const struct explain_group *group = &answer->rows.data[r].groups[g];
            if (group->status != BANKRUN_OK || group->request.outside)
                return true;
        }
    return false;
}

static int show(const struct explain_answer *answer, const struct cli_options *options) {
    const struct answer_look look = answer_look(options);
    struct strbuf text = {0};
    if (options->format == REPORT_TEXT)
        explain_write_text(answer, look.has_color, look.width, &text);
    else if (options->format == REPORT_CSV)
        explain_write_csv(answer, &text);
    else
        explain_write_json(answer, &text);
    const bool is_written = show_answer(&text, options->format == REPORT_TEXT, options);
    strbuf_free(&text);
    return !is_written ? CLI_USAGE : has_problem(answer) ? CLI_FAULT : CLI_OK;
}

static int explain_one(const char *expression, const struct cli_options *options) {
    const struct cli_explain *asked = &options->explain;
    struct explain_question question = {.expression = expression,
                                        .shared = asked->shared,
                                        .condition = asked->condition,
                                        .lets = asked->lets.data,
                                        .let_count = asked->lets.length,
                                        .warp = asked->warp,
                                        .access = asked->access,
                                        .arch = options->arch,
                                        .bank_mode = asked->bank_mode};
    struct explain_answer answer = {.question = &question, .arena = arena_create()};
    struct diag_list diags = {0};
    int status = CLI_USAGE;
    if (explain_read_launch(options, &question.launch)) {
        bool is_answered = explain_ask(&answer, &diags);
        print_diags(&diags, options);
        if (is_answered)
            status = show(&answer, options);
    }
    vec_free(&answer.rows);
    arena_destroy(answer.arena);
    return status;
}

static int dispatch(const char *expression, const struct cli_options *options) {
    if (options->help) {
        help();
        return CLI_OK;
    }
    if (options->explain.bank_mode == 8 && options->arch && options->arch / 10 != 3)
        cli_error("--bank-mode 8: only 3.x has it, not sm_%u", options->arch);
    else if (options->explain.requests && expression)
        cli_error("either an expression or --requests, not both");
    else if (options->explain.requests && !options->arch)
        cli_error("--requests is for one architecture: --arch all has several");
    else if (options->explain.requests)
        return explain_requests_run(options);
    else if (!expression)
        cli_error("which expression? bankrun explain 'tile[tid]' --shared 'float tile[32]'; see "
                  "bankrun explain --help");
    else
        return explain_one(expression, options);
    return CLI_USAGE;
}

int cmd_explain(int argc, char **argv) {
    struct cli_options options;
    options_init(&options);
    const char *expression = NULL;
    int at = 0;
    while ((at = options_parse(&options, CLI_EXPLAIN, argc, argv, at)) >= 0 && at < argc) {
        if (expression) {
            cli_error("one expression at a time: '%s' and '%s'", expression, argv[at]);
            at = -1;
            break;
        }
        expression = argv[at++];
    }
    int status = at < 0 ? CLI_USAGE : dispatch(expression, &options);
    options_free(&options);
    return status;
}
