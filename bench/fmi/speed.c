/* Times calls of an unpacked FMI 3.0 FMU of ferrica: speed LIBRARY RESOURCES TOKEN STEPS STEP SIZE
 * Prints, in seconds: an instantiation with its end, a communication step, a right-hand side of Model Exchange of SIZE states. */

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef void *Instance;
typedef void (*Logger)(void *, int, const char *, const char *);
typedef Instance (*MakeSteps)(const char *, const char *, const char *, bool, bool, bool, bool, const uint32_t *, size_t, void *, Logger, void *);
typedef Instance (*MakeExchange)(const char *, const char *, const char *, bool, bool, void *, Logger);
typedef int (*Enter)(Instance, bool, double, double, bool, double);
typedef int (*Plain)(Instance);
typedef void (*Free)(Instance);
typedef int (*DoStep)(Instance, double, double, bool, bool *, bool *, bool *, double *);
typedef int (*SetTime)(Instance, double);
typedef int (*SetStates)(Instance, const double *, size_t);
typedef int (*GetStates)(Instance, double *, size_t);

static void say(void *environment, int status, const char *category, const char *message) {
    (void)environment;
    (void)category;
    if (status > 1) fprintf(stderr, "%d: %s\n", status, message);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static void *function(void *library, const char *name) {
    void *found = dlsym(library, name);
    if (!found) {
        fprintf(stderr, "no %s\n", name);
        exit(2);
    }
    return found;
}

static void must(int status, const char *what) {
    if (status > 1) {
        fprintf(stderr, "%s: status %d\n", what, status);
        exit(2);
    }
}

int main(int count, char **words) {
    if (count != 7) return 2;
    const char *resources = words[2], *token = words[3];
    long steps = atol(words[4]);
    double step = atof(words[5]);
    size_t n = atol(words[6]);
    void *library = dlopen(words[1], RTLD_NOW);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    MakeSteps make_steps = (MakeSteps)function(library, "fmi3InstantiateCoSimulation");
    MakeExchange make_exchange = (MakeExchange)function(library, "fmi3InstantiateModelExchange");
    Enter enter = (Enter)function(library, "fmi3EnterInitializationMode");
    Plain leave = (Plain)function(library, "fmi3ExitInitializationMode");
    Plain continuous = (Plain)function(library, "fmi3EnterContinuousTimeMode");
    Free end = (Free)function(library, "fmi3FreeInstance");
    DoStep do_step = (DoStep)function(library, "fmi3DoStep");
    SetTime set_time = (SetTime)function(library, "fmi3SetTime");
    SetStates set_states = (SetStates)function(library, "fmi3SetContinuousStates");
    GetStates get_states = (GetStates)function(library, "fmi3GetContinuousStates");
    GetStates derivatives = (GetStates)function(library, "fmi3GetContinuousStateDerivatives");

    double begin = now();
    Instance unit = make_steps("speed", token, resources, false, false, false, false, NULL, 0, NULL, say, NULL);
    if (!unit) return 2;
    double instantiated = now() - begin;
    must(enter(unit, false, 0, 0, false, 0), "enter initialization");
    must(leave(unit), "leave initialization");
    bool event, terminate, early;
    double last;
    long k = 0;
    /* Hot code is compiled in the first steps. */
    for (; k < steps / 10; k++) must(do_step(unit, k * step, step, true, &event, &terminate, &early, &last), "step");
    begin = now();
    for (; k < steps; k++) must(do_step(unit, k * step, step, true, &event, &terminate, &early, &last), "step");
    double stepped = (now() - begin) / (steps - steps / 10);
    end(unit);

    unit = make_exchange("speed", token, resources, false, false, NULL, say);
    if (!unit) return 2;
    must(enter(unit, false, 0, 0, false, 0), "enter initialization");
    must(leave(unit), "leave initialization");
    must(continuous(unit), "continuous time");
    double *x = calloc(n + 1, sizeof *x), *rates = calloc(n + 1, sizeof *rates);
    must(get_states(unit, x, n), "states");
    double evaluated = 0;
    long rounds = steps;
    for (int warm = 1; warm >= 0; warm--) {
        begin = now();
        for (k = 1; k <= rounds; k++) {
            must(set_time(unit, 1e-9 * k), "time");
            if (n) x[0] += 1e-12;
            must(set_states(unit, x, n), "states");
            must(derivatives(unit, rates, n), "derivatives");
        }
        evaluated = (now() - begin) / rounds;
    }
    end(unit);
    printf("%.9g %.9g %.9g\n", instantiated, stepped, evaluated);
    return 0;
}
