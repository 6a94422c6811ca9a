/* The model in real time on a POSIX system: one step each @H@ s by the monotonic clock, at a real-time priority and with locked memory where the
   system permits. Fill read_inputs and write_outputs with your hardware. Argument: number of steps (default: until interrupted). */
#define _POSIX_C_SOURCE 200112L
#include "@N@.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

static @N@_model model;
static volatile sig_atomic_t stopped;

static void stop(int signal_number)
{
    (void)signal_number;
    stopped = 1;
}

/* Inputs of the step that begins: @N@_set_input(m, @UPPER@_IN_..., value). */
static void read_inputs(@N@_model *m)
{
    (void)m;
}

/* Results of the step that has ended: @N@_get(m, @UPPER@_VAR_...). */
static void write_outputs(const @N@_model *m)
{
    (void)m;
}

static double seconds(const struct timespec *since, const struct timespec *until)
{
    return (double)(until->tv_sec - since->tv_sec) + 1e-9 * (double)(until->tv_nsec - since->tv_nsec);
}

int main(int argc, char **argv)
{
    const unsigned long steps = argc > 1 ? strtoul(argv[1], NULL, 10) : 0UL;
    const double step = @H@;
    struct sched_param priority;
    struct timespec origin, release, now;
    unsigned long k, misses = 0;
    double worst = 0.0, warned_at = 0.0;
    int e = 0, warned = 0;
    priority.sched_priority = sched_get_priority_max(SCHED_FIFO) / 2;
    if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) {
        fprintf(stderr, "memory is not locked\n");
    }
    if (sched_setscheduler(0, SCHED_FIFO, &priority) != 0) {
        fprintf(stderr, "ordinary priority\n");
    }
    signal(SIGINT, stop);
    signal(SIGTERM, stop);
    @N@_init(&model);
    clock_gettime(CLOCK_MONOTONIC, &origin);
    for (k = 0; e == 0 && !stopped && (steps == 0UL || k < steps); k++) {
        const double since = (double)k * step;
        const time_t whole = (time_t)since;
        release.tv_sec = origin.tv_sec + whole;
        release.tv_nsec = origin.tv_nsec + (long)(1e9 * (since - (double)whole));
        if (release.tv_nsec >= 1000000000L) {
            release.tv_nsec -= 1000000000L;
            release.tv_sec += 1;
        }
        while (!stopped && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &release, NULL) != 0) {
            /* A signal has interrupted the wait. */
        }
        read_inputs(&model);
        e = @N@_step(&model);
        if (warned == 0) {
            warned = @N@_warning(&model);
            warned_at = @N@_time(&model);
        }
        if (e == 0) {
            e = @N@_compute_outputs(&model);
        }
        if (e == 0) {
            write_outputs(&model);
        }
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (seconds(&release, &now) > worst) {
            worst = seconds(&release, &now);
        }
        if (seconds(&release, &now) > step) {
            misses += 1;
        }
    }
    if (e >= @UPPER@_TERMINATED) {
        fprintf(stderr, "time %g: %s\n", @N@_time(&model), @N@_message(e));
        e = 0;
    }
    if (e == 0) {
        e = @N@_terminate(&model);
    }
    if (warned != 0) {
        fprintf(stderr, "warning[%s]: time %g: %s\n", @N@_code(warned), warned_at, @N@_message(warned));
    }
    if (e != 0) {
        fprintf(stderr, "error[%s]: time %g: %s\n", @N@_code(e), @N@_time(&model), @N@_message(e));
    }
    fprintf(stderr, "%lu steps, %lu deadlines missed, longest response %.1f us\n", k, misses, 1e6 * worst);
    return e != 0;
}
