/* What one value reference stands for: its type ('r', 'i', 'b', 'e'), what it is ('t': time, 'v': variable, 'i': input, 'p': parameter), its number
   there, and whether the states at the start depend on it. They are numbers of this code, so that it keeps its value until the run begins. */
typedef struct {
    char type;
    char kind;
    int number;
    int decides_start;
} channel;

static const channel channels[] = {
    @CHANNELS@
};

#define N_CHANNELS @N_CHANNELS@U

enum { INSTANTIATED, INITIALIZING, STEPPING, ENDED };

/* What a stored state holds. */
typedef struct {
    @N@_model model;
    int phase;
    int changed; /* something was set before the run */
    int fresh; /* what steps do not compute is computed */
} state;

typedef struct {
    state now;
    environment_type environment;
    logger_type log;
    const char *name;
} instance;

static const char token[] = "@TOKEN@";

static void tell(const instance *i, int status, const char *text)
{
    const char *category = status == WARNING ? "logStatusWarning" : "logStatusError";
    if (i->log != NULL) {
        LOG(i, status, category, text);
    }
}

static int wrong(const instance *i, const char *text)
{
    tell(i, ERROR, text);
    return ERROR;
}

/* What a result of the model means. */
static void tell_result(instance *i, int status, int result)
{
    @N@_model *m = &i->now.model;
    char text[1000], full[1100];
@SAY@    (void)snprintf(full, sizeof full, "time %g: %s", @N@_time(m), text);
    tell(i, status, full);
}

static int judged(instance *i, int result)
{
    if (result != 0) {
        tell_result(i, ERROR, result);
    }
    return result == 0 ? OK : ERROR;
}

/* Values at the present point. */
static int refresh(instance *i)
{
    int e = OK;
    if (i->now.changed) {
        e = judged(i, @N@_refresh(&i->now.model));
        i->now.changed = 0;
    }
    if (e == OK && !i->now.fresh) {
        e = judged(i, @N@_compute_outputs(&i->now.model));
        i->now.fresh = 1;
    }
    return e;
}

static int get_value(instance *i, unsigned reference, char type, double *value)
{
    int e = OK;
    if (reference >= N_CHANNELS || channels[reference].type != type) {
        e = wrong(i, "no variable of this type has the value reference");
    } else {
        const channel *c = &channels[reference];
        switch (c->kind) {
        case 't':
            *value = @N@_time(&i->now.model);
            break;
        case 'i':
            *value = @N@_get_input(&i->now.model, c->number);
            break;
#if @UPPER@_PARAMETERS > 0
        case 'p':
            *value = @N@_get_parameter(&i->now.model, c->number);
            break;
#endif
        default:
            e = refresh(i);
            *value = @N@_get(&i->now.model, c->number);
            break;
        }
    }
    return e;
}

static int set_value(instance *i, unsigned reference, char type, double value)
{
    int e = OK;
    double now = 0.0;
    if (reference >= N_CHANNELS || channels[reference].type != type) {
        e = wrong(i, "no variable of this type has the value reference");
    } else if (channels[reference].kind != 'i' && channels[reference].kind != 'p') {
        e = wrong(i, "only inputs and tunable parameters can be set");
    } else if (i->now.phase == ENDED) {
        e = wrong(i, "nothing can be set after the end of the run");
    } else {
        const channel *c = &channels[reference];
        e = get_value(i, reference, type, &now);
        if (e == OK && fabs(value - now) > 0.0) {
            if (i->now.phase != STEPPING && c->decides_start) {
                e = wrong(i, "the states at the start depend on this variable, and they are part of the code: export the model with its value");
            } else if (c->kind == 'i') {
                @N@_set_input(&i->now.model, c->number, value);
            } else {
#if @UPPER@_PARAMETERS > 0
                e = judged(i, @N@_set_parameter(&i->now.model, c->number, value));
#endif
            }
            if (i->now.phase != STEPPING) {
                i->now.changed = 1;
                i->now.fresh = 0;
            }
        } else if (!(fabs(value - now) <= 0.0)) {
            e = wrong(i, "the value is not a number");
        } else {
            /* It has this value. */
        }
    }
    return e;
}

static void begin(instance *i)
{
    @N@_init(&i->now.model);
    i->now.phase = INSTANTIATED;
    i->now.changed = 0;
    i->now.fresh = 0;
}

static instance *make(const char *name, const char *wanted)
{
    instance *i = NULL;
    if (wanted != NULL && strcmp(wanted, token) == 0) {
        i = (instance *)calloc(1, sizeof(instance));
        if (i != NULL) {
            char *copy = (char *)malloc(strlen(name) + 1U);
            if (copy != NULL) {
                (void)strcpy(copy, name);
            }
            i->name = copy;
            begin(i);
        }
    }
    return i;
}

static void destroy(instance *i)
{
    if (i != NULL) {
        free((void *)i->name);
        free(i);
    }
}

static int start_at(instance *i, double time)
{
    int e = OK;
    if (!(fabs(time - @UPPER@_START) <= 1e-6 * @UPPER@_STEP)) {
        e = wrong(i, "the run begins at @START@ s: the states at the start are part of the code");
    }
    return e;
}

static int enter_initialization(instance *i)
{
    int e = OK;
    if (i->now.phase != INSTANTIATED) {
        e = wrong(i, "initialization begins after instantiation or reset");
    } else {
        i->now.phase = INITIALIZING;
    }
    return e;
}

static int exit_initialization(instance *i)
{
    int e = i->now.phase == INITIALIZING ? refresh(i) : wrong(i, "initialization has not begun");
    if (e == OK) {
        i->now.phase = STEPPING;
    }
    return e;
}

/* Steps up to the next communication point; 1 in `ended` if the model has ended the run. */
static int go_on(instance *i, double from, double size, int *ended)
{
    @N@_model *m = &i->now.model;
    const double steps = (from + size - @UPPER@_START) / @UPPER@_STEP, whole = floor(steps + 0.5);
    int e = OK;
    *ended = m->ended != 0;
    if (i->now.phase != STEPPING) {
        e = wrong(i, "a step before the initialization is over, or after the end");
    } else if (!(fabs(from - @N@_time(m)) <= 1e-6 * @UPPER@_STEP)) {
        e = wrong(i, "the step does not begin where the last one has ended");
    } else if (!(size > 0.0) || !(fabs(steps - whole) <= 1e-6)) {
        e = wrong(i, "communication steps are multiples of the step of the solver, @H@ s");
    } else {
        i->now.fresh = 0;
        while (e == OK && !*ended && (double)m->step < whole) {
            const int result = @N@_step(m), warning = @N@_warning(m);
            if (warning != 0) {
                tell_result(i, WARNING, warning);
            }
            *ended = result >= @UPPER@_TERMINATED;
            if (result != 0 && !*ended) {
                e = judged(i, result);
                i->now.phase = ENDED;
            }
        }
    }
    return e;
}

static int end(instance *i)
{
    int e = OK;
    if (i->now.phase == STEPPING && @UPPER@_TERMINAL) {
        e = judged(i, @N@_terminate(&i->now.model));
        i->now.fresh = 0;
    }
    i->now.phase = ENDED;
    return e;
}

static int keep(const instance *i, void **stored)
{
    if (*stored == NULL) {
        *stored = malloc(sizeof(state));
    }
    if (*stored != NULL) {
        *(state *)*stored = i->now;
    }
    return *stored != NULL ? OK : wrong(i, "there is no memory");
}

static int go_back(instance *i, const void *stored)
{
    if (stored != NULL) {
        i->now = *(const state *)stored;
    }
    return stored != NULL ? OK : wrong(i, "no state was given");
}

static int to_bytes(const instance *i, const void *stored, unsigned char *bytes, size_t size)
{
    int e = OK;
    if (stored == NULL || size < sizeof token + sizeof(state)) {
        e = wrong(i, "no state, or no room for it");
    } else {
        (void)memcpy(bytes, token, sizeof token);
        (void)memcpy(bytes + sizeof token, stored, sizeof(state));
    }
    return e;
}

static int from_bytes(const instance *i, const unsigned char *bytes, size_t size, void **stored)
{
    int e = OK;
    if (size != sizeof token + sizeof(state) || memcmp(bytes, token, sizeof token) != 0) {
        e = wrong(i, "the state belongs to another model");
    } else {
        *stored = malloc(sizeof(state));
        if (*stored == NULL) {
            e = wrong(i, "there is no memory");
        } else {
            (void)memcpy(*stored, bytes + sizeof token, sizeof(state));
        }
    }
    return e;
}

