/* Runs the S-function above for as many steps as its argument says, with the input 1, and prints its outputs. */
#include <stdio.h>

int main(int argc, char **argv)
{
    static SimStruct block;
    const long steps = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
    long k;
    int j;
    mdlInitializeSizes(&block);
    mdlInitializeSampleTimes(&block);
    for (j = 0; j < block.input_width; j++) {
        block.input[j] = 1.0;
    }
    mdlStart(&block);
    for (k = 0; k <= steps && block.error == NULL && !block.stop; k++) {
        mdlOutputs(&block, 0);
        printf("%.17g", (double)k * block.sample_time);
        for (j = 0; j < block.output_width; j++) {
            printf(",%.17g", block.output[j]);
        }
        printf("\n");
        mdlUpdate(&block, 0);
    }
    if (block.error != NULL) {
        fprintf(stderr, "%s\n", block.error);
    }
    mdlTerminate(&block);
    return block.error == NULL ? 0 : 1;
}
