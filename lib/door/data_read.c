/* Data from text. */
#include <math.h>

#include "door/data.h"
#include "door/error.h"
#include "door/settings.h"

/* What the text may be, for these settings; NULL: anything. */
static rvmml_status choose_grammar(rvm_grammar *out, const rvmml_settings *settings,
                                   rvmml_error *err)
{
    door_settings s;
    *out = (rvm_grammar){ .outputs = true, .unlabelled = 1 };
    if (settings == NULL)
        return RVMML_OK;
    const rvmml_status status = door_settings_resolve(&s, settings, err);
    if (status != RVMML_OK)
        return status;
    const bool classes = s.train.task == RVM_CLASSIFICATION;
    *out = (rvm_grammar){ .class_labels = classes,
                          .outputs = !classes,
                          .precomputed = s.train.kernel.type == RVM_PRECOMPUTED };
    door_settings_clear(&s);
    return RVMML_OK;
}

static bool has_targets(const rvm_problem *p)
{
    for (size_t i = 0; i < p->rows * p->outputs; i++)
        if (!isnan(p->target[i]))
            return true;
    return false;
}

rvmml_status rvmml_data_read(rvmml_data **out, FILE *in, const rvmml_settings *settings,
                             rvmml_error *err)
{
    rvm_grammar grammar;
    rvm_error fault = { .line = 0 };
    rvm_problem *p = NULL;
    if (out == NULL || in == NULL)
        return door_fail_null(err, out == NULL ? "out" : "in");
    rvmml_status status = choose_grammar(&grammar, settings, err);
    if (status == RVMML_OK)
        status = door_pass(err, rvm_problem_read(&p, in, grammar, &fault), &fault);
    if (status != RVMML_OK)
        return status;
    rvmml_data *data = door_data_wrap(p, p->max_index > 0 ? (size_t)p->max_index : 0,
                                      has_targets(p) ? p->outputs : 0);
    if (data == NULL)
        return door_fail_memory(err, "the data");
    data->is_matrix = grammar.precomputed;
    *out = data;
    return RVMML_OK;
}
