/* rvm-train: trains a relevance vector machine on a libsvm data file. */
#include "lib/cli/train.h"

int main(int argc, char **argv)
{
    return cli_train_run(argc, argv, "rvm-train",
                         "Trains a relevance vector machine on data in libsvm's format.", NULL);
}
