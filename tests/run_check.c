/* Runs every suite in one program.  CK_RUN_SUITE=name runs one of them, as tests/run.sh does with
 * each, CK_FORK=no all tests of it in one process; the last line is the count that is added to that
 * of the command-line tests. */
#include <gsl/gsl_errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "suites.h"

int main(void)
{
    /* Tests run forked, and check ends one that seems to hang after 4 seconds: too few for a
     * machine under load.  The value counts for the cases made after this. */
    if (setenv("CK_DEFAULT_TIMEOUT", "120", 0) != 0)
        return EXIT_FAILURE;
    gsl_set_error_handler_off();

    SRunner *runner = srunner_create(NULL);
    for (size_t k = 0; suites[k] != NULL; k++)
        srunner_add_suite(runner, suites[k]());
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    const int passed = srunner_ntests_run(runner) - failed;
    srunner_free(runner);

    printf("unit tests: %d passed, %d failed\n", passed, failed);
    return failed == 0 && passed > 0 && fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
