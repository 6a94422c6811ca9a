/* The chain of orifices and volumes of Ferrica.Benchmarks.HydraulicNetwork, written by hand: one loop over the orifices a step, two waves a volume.
   Arguments: cells, steps, repetitions. Prints the least seconds of a run, then the pressure at the left end of each volume. */
#define _POSIX_C_SOURCE 199309L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 1000;
    const long steps = argc > 2 ? atol(argv[2]) : 10000;
    const int repetitions = argc > 3 ? atoi(argv[3]) : 5;
    const double rho = 870.0, beta = 1e9, travel = 1e-4, volume = 1e-3;
    const double z = beta * travel / volume;
    double *k = malloc(sizeof(double) * (size_t)(n + 1));      /* of each orifice: q = K sqrt(dp) */
    double *half = malloc(sizeof(double) * (size_t)(n + 1));   /* K Z/2 with the impedances of both sides */
    double *a = malloc(sizeof(double) * (size_t)n);            /* waves that arrive at the left and right ends */
    double *b = malloc(sizeof(double) * (size_t)n);
    double *pressure = malloc(sizeof(double) * (size_t)n);
    double best = HUGE_VAL;
    for (int i = 0; i <= n; i++) {
        const double sides = (i > 0) + (i < n);
        k[i] = 0.67 * (1e-5 * (1.0 + 0.5 * sin(i + 1))) * sqrt(2.0 / rho);
        half[i] = 0.5 * k[i] * sides * z;
    }
    for (int r = 0; r < repetitions; r++) {
        const double began = now();
        for (int i = 0; i < n; i++) {
            a[i] = b[i] = 0.0;
        }
        for (long s = 0; s <= steps; s++) {
            double left = 1e7, sent = 0.0;    /* what comes from the left of this orifice, and what its volume sends on from there */
            for (int i = 0; i <= n; i++) {
                const double right = i < n ? a[i] : 0.0;
                const double d = left - right;
                const double q = copysign(k[i], d) * (sqrt(fabs(d) + half[i] * half[i]) - half[i]);
                if (i > 0) {
                    /* The right end of the volume before: its wave arrives at the left end after the travelling time. */
                    a[i - 1] = left - 2.0 * z * q;
                    b[i - 1] = sent;
                }
                if (i < n) {
                    pressure[i] = right + z * q;
                    sent = right + 2.0 * z * q;
                    left = b[i];
                }
            }
        }
        const double took = now() - began;
        if (took < best) {
            best = took;
        }
    }
    printf("%.9e\n", best);
    for (int i = 0; i < n; i++) {
        printf("%.17g\n", pressure[i]);
    }
    return 0;
}
