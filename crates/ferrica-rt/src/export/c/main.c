/* Demo: runs the model and prints CSV. Arguments: number of steps, steps between rows. */
#include "@N@.h"

#include <stdio.h>
#include <stdlib.h>

static @N@_model model;

static void print_name(const char *name)
{
    printf(",\"");
    for (; *name != '\0'; name++) {
        if (*name == '"') {
            putchar('"');
        }
        putchar(*name);
    }
    putchar('"');
}

static void say(const char *what, const char *code, int result)
{
    char text[1000];
@SAY@    fprintf(stderr, "%s[%s]: time %g: %s\n", what, code, @N@_time(&model), text);
}

static int print_row(void)
{
    int k;
    const int e = @N@_compute_outputs(&model);
    if (e == 0) {
        printf("%.17g", @N@_time(&model));
        for (k = 0; k < @UPPER@_VARIABLES; k++) {
            printf(",%.17g", @N@_get(&model, k));
        }
        printf("\n");
    }
    return e;
}

int main(int argc, char **argv)
{
    const unsigned long steps = argc > 1 ? strtoul(argv[1], NULL, 10) : @STEPS@UL;
    const unsigned long every = argc > 2 ? strtoul(argv[2], NULL, 10) : @EVERY@UL;
    unsigned long k;
    int i, e;
    @N@_init(&model);
    printf("time");
    for (i = 0; i < @UPPER@_VARIABLES; i++) {
        print_name(@N@_variables[i].name);
    }
    printf("\n");
    e = print_row();
    for (k = 1; e == 0 && k <= steps; k++) {
        int warning;
        e = @N@_step(&model);
        warning = @N@_warning(&model);
        if (warning != 0) {
            say("warning", @N@_code(warning), warning);
        }
        if (e == 0 && every > 0 && (k % every == 0 || k == steps)) {
            e = print_row();
        }
    }
    if (e >= @UPPER@_TERMINATED) {
        say("terminated", "", e);
        e = 0;
        if (!@UPPER@_TERMINAL) {
            e = print_row();
        }
    }
    if (e == 0 && @UPPER@_TERMINAL) {
        e = @N@_terminate(&model);
        if (e == 0) {
            e = print_row();
        }
    }
    if (@N@_unconverged(&model) > 0UL) {
        fprintf(stderr, "warning[W0601]: %lu steps had not converged after @ITERATIONS@ Newton iterations: try more iterations or a smaller step\n",
            @N@_unconverged(&model));
    }
    if (e != 0) {
        say("error", @N@_code(e), e);
    }
    return e == 0 ? 0 : 1;
}
