/* Runs a fuzz target on files, where there is no libFuzzer: replay FILE ... */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LARGEST = 1 << 20 };

int main(int argc, char **argv)
{
    uint8_t *data = malloc(LARGEST);

    if (data == NULL)
        return EXIT_FAILURE;
    for (int i = 1; i < argc; i++) {
        FILE *in = fopen(argv[i], "rb");
        if (in == NULL) {
            perror(argv[i]);
            return EXIT_FAILURE;
        }
        printf("%s\n", argv[i]); /* the last one is that which failed */
        fflush(stdout);
        LLVMFuzzerTestOneInput(data, fread(data, 1, LARGEST, in));
        fclose(in);
    }
    free(data);
    return EXIT_SUCCESS;
}
