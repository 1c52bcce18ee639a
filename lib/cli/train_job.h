/* What rvm-train is asked for: its options, and whether they go together. */
#ifndef RVM_CLI_TRAIN_JOB_H
#define RVM_CLI_TRAIN_JOB_H

#include "base/team.h"
#include "cli/tool.h"

typedef struct {
    const cli_tool *tool;  /* borrowed: the one that was called */
    rvm_team *team;        /* borrowed; NULL: one process alone */
    rvm_settings settings; /* its class weights are owned */
    int svm_type;          /* as given: checked after the data are read, as libsvm does */
    double C, nu, p;       /* libsvm's, checked and not used */
    int shrinking, probability;
    int folds; /* 0: no cross-validation */
    bool quiet, no_bias;
    const char *trace;               /* NULL: not wanted */
    const char *checkpoint, *resume; /* likewise */
    double every;                    /* seconds from one checkpoint to the next */
} cli_train_job;

/* A tool with these options, of which `run` is the work. */
cli_tool cli_train_job_tool(const char *name, const char *about,
                            int (*run)(void *job, const cli_words *words));
cli_train_job cli_train_job_default(const cli_tool *tool);
/* What the command line says when all of it is taken together; false after a message. */
bool cli_train_job_settle(cli_train_job *job, const cli_words *words);

/* Whether -s asks for classes. */
bool cli_train_job_classifies(const cli_train_job *job);
/* Whether all of it can be had with these data; false after a message. */
bool cli_train_job_fits(cli_train_job *job, const rvm_problem *p);

#endif
