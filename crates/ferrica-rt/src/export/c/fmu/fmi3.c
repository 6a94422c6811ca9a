PUBLIC const char *NAMED(fmi3GetVersion)(void)
{
    return "3.0";
}

PUBLIC int NAMED(fmi3SetDebugLogging)(void *c, bool on, size_t n, const char *const categories[])
{
    (void)c;
    (void)on;
    (void)n;
    (void)categories;
    return OK;
}

PUBLIC void *NAMED(fmi3InstantiateCoSimulation)(const char *name, const char *wanted, const char *resources, bool visible, bool logging, bool events, bool early,
    const unsigned intermediate[], size_t n, environment_type environment, logger_type log, void *update)
{
    instance *i = make(name, wanted);
    (void)resources;
    (void)visible;
    (void)logging;
    (void)events;
    (void)early;
    (void)intermediate;
    (void)n;
    (void)update;
    if (i != NULL) {
        i->environment = environment;
        i->log = log;
    } else if (log != NULL) {
        log(environment, ERROR, "logStatusError", "the code is of another model");
    } else {
        /* Nobody listens. */
    }
    return i;
}

PUBLIC void *NAMED(fmi3InstantiateModelExchange)(const char *name, const char *wanted, const char *resources, bool visible, bool logging,
    environment_type environment, logger_type log)
{
    (void)name;
    (void)wanted;
    (void)resources;
    (void)visible;
    (void)logging;
    if (log != NULL) {
        log(environment, ERROR, "logStatusError", "the code has its own solver: it is for co-simulation");
    }
    return NULL;
}

PUBLIC void *NAMED(fmi3InstantiateScheduledExecution)(const char *name, const char *wanted, const char *resources, bool visible, bool logging,
    environment_type environment, logger_type log, void *update, void *lock, void *unlock)
{
    (void)update;
    (void)lock;
    (void)unlock;
    return NAMED(fmi3InstantiateModelExchange)(name, wanted, resources, visible, logging, environment, log);
}

PUBLIC void NAMED(fmi3FreeInstance)(void *c)
{
    destroy((instance *)c);
}

PUBLIC int NAMED(fmi3EnterInitializationMode)(void *c, bool tolerance_is_given, double tolerance, double start, bool stop_is_given, double stop)
{
    int e = start_at((instance *)c, start);
    (void)tolerance_is_given;
    (void)tolerance;
    (void)stop_is_given;
    (void)stop;
    return e == OK ? enter_initialization((instance *)c) : e;
}

PUBLIC int NAMED(fmi3ExitInitializationMode)(void *c)
{
    return exit_initialization((instance *)c);
}

/* Events happen within steps: in the modes for them nothing is left to do. */
PUBLIC int NAMED(fmi3EnterEventMode)(void *c)
{
    (void)c;
    return OK;
}

PUBLIC int NAMED(fmi3EnterStepMode)(void *c)
{
    (void)c;
    return OK;
}

PUBLIC int NAMED(fmi3Terminate)(void *c)
{
    return end((instance *)c);
}

PUBLIC int NAMED(fmi3Reset)(void *c)
{
    begin((instance *)c);
    return OK;
}

#define GET_AND_SET(word, type, letter, from, to) \
    PUBLIC int NAMED(fmi3Get##word)(void *c, const unsigned references[], size_t n, type values[], size_t count) \
    { \
        int e = n == count ? OK : wrong((instance *)c, "there must be a value for each value reference"); \
        size_t k; \
        for (k = 0; e == OK && k < n; k++) { \
            double value = 0.0; \
            e = get_value((instance *)c, references[k], letter, &value); \
            values[k] = from; \
        } \
        return e; \
    } \
    PUBLIC int NAMED(fmi3Set##word)(void *c, const unsigned references[], size_t n, const type values[], size_t count) \
    { \
        int e = n == count ? OK : wrong((instance *)c, "there must be a value for each value reference"); \
        size_t k; \
        for (k = 0; e == OK && k < n; k++) { \
            e = set_value((instance *)c, references[k], letter, to); \
        } \
        return e; \
    }

#define NO_SUCH_TYPE(word, type) \
    PUBLIC int NAMED(fmi3Get##word)(void *c, const unsigned references[], size_t n, type values[], size_t count) \
    { \
        (void)references; \
        (void)values; \
        (void)count; \
        return n == 0U ? OK : wrong((instance *)c, "the model has no variables of this type"); \
    } \
    PUBLIC int NAMED(fmi3Set##word)(void *c, const unsigned references[], size_t n, const type values[], size_t count) \
    { \
        (void)references; \
        (void)values; \
        (void)count; \
        return n == 0U ? OK : wrong((instance *)c, "the model has no variables of this type"); \
    }

GET_AND_SET(Float64, double, 'r', value, values[k])
GET_AND_SET(Int32, int32_t, 'i', (int32_t)value, (double)values[k])
/* Enumerations. */
GET_AND_SET(Int64, int64_t, 'e', (int64_t)value, (double)values[k])
GET_AND_SET(Boolean, bool, 'b', fabs(value) > 0.0, values[k] ? 1.0 : 0.0)
NO_SUCH_TYPE(Float32, float)
NO_SUCH_TYPE(Int8, int8_t)
NO_SUCH_TYPE(UInt8, uint8_t)
NO_SUCH_TYPE(Int16, int16_t)
NO_SUCH_TYPE(UInt16, uint16_t)
NO_SUCH_TYPE(UInt32, uint32_t)
NO_SUCH_TYPE(UInt64, uint64_t)
typedef const char *text;
NO_SUCH_TYPE(String, text)

PUBLIC int NAMED(fmi3GetBinary)(void *c, const unsigned references[], size_t n, size_t sizes[], const uint8_t *values[], size_t count)
{
    (void)references;
    (void)sizes;
    (void)values;
    (void)count;
    return n == 0U ? OK : wrong((instance *)c, "the model has no variables of this type");
}

PUBLIC int NAMED(fmi3SetBinary)(void *c, const unsigned references[], size_t n, const size_t sizes[], const uint8_t *const values[], size_t count)
{
    (void)references;
    (void)sizes;
    (void)values;
    (void)count;
    return n == 0U ? OK : wrong((instance *)c, "the model has no variables of this type");
}

PUBLIC int NAMED(fmi3GetClock)(void *c, const unsigned references[], size_t n, bool values[])
{
    (void)references;
    (void)values;
    return n == 0U ? OK : wrong((instance *)c, "the model has no clocks");
}

PUBLIC int NAMED(fmi3SetClock)(void *c, const unsigned references[], size_t n, const bool values[])
{
    (void)references;
    (void)values;
    return n == 0U ? OK : wrong((instance *)c, "the model has no clocks");
}

PUBLIC int NAMED(fmi3GetFMUState)(void *c, void **stored)
{
    return keep((instance *)c, stored);
}

PUBLIC int NAMED(fmi3SetFMUState)(void *c, void *stored)
{
    return go_back((instance *)c, stored);
}

PUBLIC int NAMED(fmi3FreeFMUState)(void *c, void **stored)
{
    (void)c;
    free(*stored);
    *stored = NULL;
    return OK;
}

PUBLIC int NAMED(fmi3SerializedFMUStateSize)(void *c, void *stored, size_t *size)
{
    (void)c;
    (void)stored;
    *size = sizeof token + sizeof(state);
    return OK;
}

PUBLIC int NAMED(fmi3SerializeFMUState)(void *c, void *stored, uint8_t bytes[], size_t size)
{
    return to_bytes((instance *)c, stored, bytes, size);
}

PUBLIC int NAMED(fmi3DeserializeFMUState)(void *c, const uint8_t bytes[], size_t size, void **stored)
{
    return from_bytes((instance *)c, bytes, size, stored);
}

PUBLIC int NAMED(fmi3DoStep)(void *c, double time, double size, bool no_way_back, bool *event, bool *terminate, bool *early, double *reached)
{
    int ended = 0;
    const int e = go_on((instance *)c, time, size, &ended);
    (void)no_way_back;
    *event = false;
    *terminate = ended != 0;
    *early = false;
    *reached = @N@_time(&((instance *)c)->now.model);
    return e;
}

#define NOT_HERE(name, parameters, unused) \
    PUBLIC int NAMED(name) parameters \
    { \
        unused; \
        return wrong((instance *)c, "this function is not for co-simulation with fixed steps"); \
    }

NOT_HERE(fmi3GetNumberOfVariableDependencies, (void *c, unsigned reference, size_t *n), ((void)reference, *n = 0))
NOT_HERE(fmi3GetVariableDependencies, (void *c, unsigned reference, size_t a[], unsigned of[], size_t b[], int kinds[], size_t n),
    ((void)reference, (void)a, (void)of, (void)b, (void)kinds, (void)n))
NOT_HERE(fmi3GetDirectionalDerivative, (void *c, const unsigned u[], size_t n, const unsigned v[], size_t m, const double seed[], size_t s, double d[], size_t k),
    ((void)u, (void)n, (void)v, (void)m, (void)seed, (void)s, (void)d, (void)k))
NOT_HERE(fmi3GetAdjointDerivative, (void *c, const unsigned u[], size_t n, const unsigned v[], size_t m, const double seed[], size_t s, double d[], size_t k),
    ((void)u, (void)n, (void)v, (void)m, (void)seed, (void)s, (void)d, (void)k))
NOT_HERE(fmi3EnterConfigurationMode, (void *c), (void)0)
NOT_HERE(fmi3ExitConfigurationMode, (void *c), (void)0)
NOT_HERE(fmi3GetIntervalDecimal, (void *c, const unsigned r[], size_t n, double v[], int q[]), ((void)r, (void)n, (void)v, (void)q))
NOT_HERE(fmi3GetIntervalFraction, (void *c, const unsigned r[], size_t n, uint64_t v[], uint64_t w[], int q[]), ((void)r, (void)n, (void)v, (void)w, (void)q))
NOT_HERE(fmi3GetShiftDecimal, (void *c, const unsigned r[], size_t n, double v[]), ((void)r, (void)n, (void)v))
NOT_HERE(fmi3GetShiftFraction, (void *c, const unsigned r[], size_t n, uint64_t v[], uint64_t w[]), ((void)r, (void)n, (void)v, (void)w))
NOT_HERE(fmi3SetIntervalDecimal, (void *c, const unsigned r[], size_t n, const double v[]), ((void)r, (void)n, (void)v))
NOT_HERE(fmi3SetIntervalFraction, (void *c, const unsigned r[], size_t n, const uint64_t v[], const uint64_t w[]), ((void)r, (void)n, (void)v, (void)w))
NOT_HERE(fmi3SetShiftDecimal, (void *c, const unsigned r[], size_t n, const double v[]), ((void)r, (void)n, (void)v))
NOT_HERE(fmi3SetShiftFraction, (void *c, const unsigned r[], size_t n, const uint64_t v[], const uint64_t w[]), ((void)r, (void)n, (void)v, (void)w))
NOT_HERE(fmi3EvaluateDiscreteStates, (void *c), (void)0)
NOT_HERE(fmi3EnterContinuousTimeMode, (void *c), (void)0)
NOT_HERE(fmi3CompletedIntegratorStep, (void *c, bool no, bool *enter, bool *ends), ((void)no, (void)enter, (void)ends))
NOT_HERE(fmi3SetTime, (void *c, double time), (void)time)
NOT_HERE(fmi3SetContinuousStates, (void *c, const double x[], size_t n), ((void)x, (void)n))
NOT_HERE(fmi3GetContinuousStateDerivatives, (void *c, double x[], size_t n), ((void)x, (void)n))
NOT_HERE(fmi3GetEventIndicators, (void *c, double x[], size_t n), ((void)x, (void)n))
NOT_HERE(fmi3GetContinuousStates, (void *c, double x[], size_t n), ((void)x, (void)n))
NOT_HERE(fmi3GetNominalsOfContinuousStates, (void *c, double x[], size_t n), ((void)x, (void)n))
NOT_HERE(fmi3GetNumberOfEventIndicators, (void *c, size_t *n), *n = 0)
NOT_HERE(fmi3GetNumberOfContinuousStates, (void *c, size_t *n), *n = 0)
NOT_HERE(fmi3GetOutputDerivatives, (void *c, const unsigned r[], size_t n, const int32_t o[], double v[], size_t m), ((void)r, (void)n, (void)o, (void)v, (void)m))
NOT_HERE(fmi3ActivateModelPartition, (void *c, unsigned clock, double time), ((void)clock, (void)time))

PUBLIC int NAMED(fmi3UpdateDiscreteStates)(void *c, bool *more, bool *terminate, bool *nominals, bool *values, bool *known, double *next)
{
    *more = false;
    *terminate = ((instance *)c)->now.model.ended != 0;
    *nominals = false;
    *values = false;
    *known = false;
    *next = 0.0;
    return OK;
}
