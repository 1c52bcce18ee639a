/* Which search is for a study. */
#include "search/searches.h"

#include "search/baselines.h"
#include "search/constant.h"
#include "search/multi.h"
#include "search/starts.h"
#include "search/working_set.h"

static const rvm_search_type *const searches[] = {
    &rvm_constant, &rvm_baselines, &rvm_class_search, &rvm_many_starts, &rvm_working_sets,
};
enum { SEARCHES = sizeof searches / sizeof searches[0] };

const rvm_search_type *rvm_searches_choose(const rvm_study *y, const rvm_settings *s)
{
    size_t k = 0;
    while (k + 1 < SEARCHES && !searches[k]->fits(y, s))
        k++;
    return searches[k];
}
