/* Runs every suite in one program, or with the words PART PARTS every PARTS-th of them, from number
 * PART on.  CK_RUN_SUITE=name runs one of them, CK_FORK=no all in one process; the last line is the
 * count that tests/run.sh adds to that of the command-line tests. */
#include <gsl/gsl_errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "suites.h"

int main(int argc, char **argv)
{
    const size_t parts = argc == 3 ? strtoul(argv[2], NULL, 10) : 1;
    const size_t part = argc == 3 ? strtoul(argv[1], NULL, 10) : 0;
    if ((argc != 1 && argc != 3) || part >= parts)
        return EXIT_FAILURE;
    /* Tests run forked, and check ends one that seems to hang after 4 seconds: too few for a
     * machine under load.  The value counts for the cases made after this. */
    if (setenv("CK_DEFAULT_TIMEOUT", "120", 0) != 0)
        return EXIT_FAILURE;
    gsl_set_error_handler_off();

    SRunner *runner = srunner_create(NULL);
    for (size_t k = 0; suites[k] != NULL; k++)
        if (k % parts == part)
            srunner_add_suite(runner, suites[k]());
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    const int passed = srunner_ntests_run(runner) - failed;
    srunner_free(runner);

    printf("unit tests: %d passed, %d failed\n", passed, failed);
    /* The suite that was asked for may be in another part. */
    const bool may_be_none = parts > 1 && getenv("CK_RUN_SUITE") != NULL;
    return failed == 0 && (passed > 0 || may_be_none) && fflush(stdout) == 0 ? EXIT_SUCCESS
                                                                             : EXIT_FAILURE;
}
