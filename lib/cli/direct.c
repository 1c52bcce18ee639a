/* The command that trains at once what a race has chosen.
 *
 * Options that say the same as what was chosen stay as they were given. The others go, and where
 * what was chosen is no default an option takes their place. */
#include "cli/direct.h"

#include <stdlib.h>
#include <string.h>

#include "basis/kernel.h"
#include "cli/options.h"

enum { DROPPED_MAX = 16 };

/* Names of options that do not stay. */
typedef struct {
    const char *name[DROPPED_MAX + 1]; /* NULL behind the last one */
    size_t count;
} drop_list;

static void drop(drop_list *list, const char *option)
{
    list->name[list->count++] = option;
}

/* The option is given, and as auto. */
static bool is_auto(const cli_words *words, const cli_tool *tool, const char *option)
{
    const char *value = cli_options_value(words, tool, option);

    return value != NULL && strcmp(value, "auto") == 0;
}

/* Of -g, -r: whether what stands there is not what was chosen, or auto. */
static bool moves(const cli_words *words, const cli_tool *tool, const char *option, double asked,
                  double chosen)
{
    return asked < chosen || asked > chosen || is_auto(words, tool, option);
}

/* With as few digits as give that number again. */
static void write_number(FILE *out, const char *option, double x)
{
    char text[32];
    int digits = 1;

    do
        snprintf(text, sizeof text, "%.*g", digits, x);
    while (digits++ < 17 && (strtod(text, NULL) < x || strtod(text, NULL) > x));
    fprintf(out, " %s %s", option, text);
}

static void list_dropped(drop_list *list, const cli_tool *tool, const cli_words *words,
                         const rvm_settings *asked, const rvm_settings *chosen)
{
    const rvm_kernel *a = &asked->kernel, *c = &chosen->kernel;

    drop(list, "--auto");
    drop(list, "--select");
    drop(list, "-q");
    drop(list, "--checkpoint");
    drop(list, "--checkpoint-every");
    drop(list, "--resume");
    if (a->type != c->type) {
        drop(list, "-t");
        drop(list, "--kernel");
    }
    if (moves(words, tool, "-d", a->degree, c->degree))
        drop(list, "-d");
    if (moves(words, tool, "-g", a->gamma, c->gamma))
        drop(list, "-g");
    if (moves(words, tool, "-r", a->coef0, c->coef0))
        drop(list, "-r");
    if (asked->ard != chosen->ard)
        drop(list, "--ard");
    if (asked->linear != chosen->linear)
        drop(list, "--basis");
    if (asked->kernel_prior != chosen->kernel_prior)
        drop(list, "--prior");
}

/* What the kernel does not use is not told. */
static void write_kernel(FILE *out, const rvm_kernel *asked, const rvm_kernel *chosen)
{
    const unsigned uses = rvm_kernel_uses(chosen->type);
    const rvm_kernel standard = rvm_settings_default().kernel;

    if (chosen->type != asked->type && chosen->type != standard.type)
        fprintf(out, " -t %d", (int)chosen->type);
    if ((uses & RVM_USES_DEGREE) && chosen->degree != asked->degree &&
        chosen->degree != standard.degree)
        fprintf(out, " -d %d", chosen->degree);
    if ((uses & RVM_USES_GAMMA) && (chosen->gamma < asked->gamma || chosen->gamma > asked->gamma))
        write_number(out, "-g", chosen->gamma);
    if ((uses & RVM_USES_COEF0) && (chosen->coef0 < asked->coef0 || chosen->coef0 > asked->coef0))
        write_number(out, "-r", chosen->coef0);
}

static void write_basis(FILE *out, const rvm_settings *chosen)
{
    const struct {
        const char *name;
        bool there;
    } word[] = { { "bias", chosen->bias },
                 { "linear", chosen->linear },
                 { "quadratic", chosen->quadratic } };
    const char *before = " --basis ";

    for (size_t k = 0; k < sizeof word / sizeof *word; k++)
        if (word[k].there) {
            fprintf(out, "%s%s", before, word[k].name);
            before = ",";
        }
}

void cli_direct_write(FILE *out, const cli_tool *tool, const cli_words *words,
                      const rvm_settings *asked, const rvm_settings *chosen)
{
    drop_list list = { .count = 0 };

    list_dropped(&list, tool, words, asked, chosen);
    fputs(words->all[0], out);
    cli_options_write(out, words, tool, list.name);
    write_kernel(out, &asked->kernel, &chosen->kernel);
    if (chosen->ard && !asked->ard)
        fputs(" --ard", out);
    if (chosen->linear != asked->linear && (chosen->linear || chosen->quadratic))
        write_basis(out, chosen);
    if (chosen->standardize && !asked->standardize)
        fputs(" --standardize", out);
    if (chosen->kernel_prior && !asked->kernel_prior)
        fputs(" --prior kernel", out);
    if (chosen->probability && !cli_options_given(words, tool, "-b"))
        fputs(" -b 1", out);
    cli_options_write_files(out, words);
    putc('\n', out);
}
