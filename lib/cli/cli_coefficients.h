/* The weights of features in the summary of training. */
#ifndef RVM_CLI_COEFFICIENTS_H
#define RVM_CLI_COEFFICIENTS_H

#include "cli/cli.h"

/* For each function of a model with features among its basis functions, the weights of these and
 * their standard deviations: at most 20, those that are furthest from 0 in standard deviations,
 * the largest ratio first. Nothing for other models and models of draws. */
void cli_print_coefficients(FILE *out, const cli_tool *tool, const rvm_model *m);

#endif
