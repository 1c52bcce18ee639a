/* Runs every suite in one program.  CK_RUN_SUITE=name runs one of them, CK_FORK=no all in one
 * process; the last line is the count that tests/run.sh adds to that of the command-line tests. */
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
    for (suite_maker *const *make = suites; *make != NULL; make++)
        srunner_add_suite(runner, (*make)());
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    const int passed = srunner_ntests_run(runner) - failed;
    srunner_free(runner);

    printf("unit tests: %d passed, %d failed\n", passed, failed);
    return failed == 0 && passed > 0 && fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
