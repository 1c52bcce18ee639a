/* A tool: one row for each option, from which parsing, usage and --help are made. */
#ifndef RVM_CLI_TOOL_H
#define RVM_CLI_TOOL_H

#include <stdint.h>

#include "rvm.h"

typedef enum {
    CLI_FLAG,     /* bool; no value, sets true */
    CLI_INT,      /* int */
    CLI_REAL,     /* double; nan and inf convert too, so that range checks can name them */
    CLI_TEXT,     /* const char *, borrowed from argv */
    CLI_PAIR,     /* double[2], two words: -y LO HI */
    CLI_SETTING,  /* rvm_settings: the one that rvm_settings_set knows by the option's name; without
                     a value where `argument` is NULL */
    CLI_SUFFIXED, /* likewise; text may follow the letter at once, as in -wI W, and is then part of
                     the name */
    CLI_HEADING   /* no option: `help` stands above the rows that follow, in --help, and one stands
                     above the first row or there are none */
} cli_kind;

typedef struct {
    char letter;          /* 0: long name only */
    const char *name;     /* long name without its dashes; NULL: letter only */
    const char *argument; /* name of the value in the usage: "N"; NULL for a flag */
    const char *standard; /* default as shown in the usage; NULL: none */
    const char *help;     /* one line */
    cli_kind kind;
    size_t offset; /* of the field in the job */
} cli_option;

/* What is left of the command line. */
typedef struct {
    int count;      /* operands; between operands_min and operands_max */
    char **word;    /* borrowed from argv */
    uint64_t given; /* bit i: the option in row i was there */
    int all_count;  /* the whole command line, */
    char **all;     /* borrowed */
} cli_words;

typedef struct {
    const char *name;     /* "rvm-train" in messages, whatever the file is called */
    const char *about;    /* one sentence */
    const char *operands; /* "training_set_file [model_file]" */
    int operands_min, operands_max;
    const char *unknown; /* NULL: "Unknown option", as svm-train says */
    const cli_option *option;
    size_t option_count; /* at most 64, headings among them; --help and --version are added */
    int (*run)(void *job, const cli_words *words); /* the tool's work; its exit code */
} cli_tool;

#endif
