PUBLIC const char *NAMED(fmi2GetTypesPlatform)(void)
{
    return "default";
}

PUBLIC const char *NAMED(fmi2GetVersion)(void)
{
    return "2.0";
}

PUBLIC int NAMED(fmi2SetDebugLogging)(void *c, int on, size_t n, const char *const categories[])
{
    (void)c;
    (void)on;
    (void)n;
    (void)categories;
    return OK;
}

PUBLIC void *NAMED(fmi2Instantiate)(const char *name, int type, const char *guid, const char *resources, const callbacks_type *callbacks, int visible, int logging)
{
    /* 1: co-simulation. */
    instance *i = type == 1 && callbacks != NULL ? make(name, guid) : NULL;
    (void)resources;
    (void)visible;
    (void)logging;
    if (i != NULL) {
        i->environment = callbacks->environment;
        i->log = callbacks->log;
    } else if (callbacks != NULL && callbacks->log != NULL) {
        callbacks->log(callbacks->environment, name, ERROR, "logStatusError", "%s", "the code is of another model, or the type is not co-simulation");
    } else {
        /* Nobody listens. */
    }
    return i;
}

PUBLIC void NAMED(fmi2FreeInstance)(void *c)
{
    destroy((instance *)c);
}

PUBLIC int NAMED(fmi2SetupExperiment)(void *c, int tolerance_is_given, double tolerance, double start, int stop_is_given, double stop)
{
    (void)tolerance_is_given;
    (void)tolerance;
    (void)stop_is_given;
    (void)stop;
    return start_at((instance *)c, start);
}

PUBLIC int NAMED(fmi2EnterInitializationMode)(void *c)
{
    return enter_initialization((instance *)c);
}

PUBLIC int NAMED(fmi2ExitInitializationMode)(void *c)
{
    return exit_initialization((instance *)c);
}

PUBLIC int NAMED(fmi2Terminate)(void *c)
{
    return end((instance *)c);
}

PUBLIC int NAMED(fmi2Reset)(void *c)
{
    begin((instance *)c);
    return OK;
}

#define GET_AND_SET(word, number, letter, enumeration, from, to) \
    PUBLIC int NAMED(fmi2Get##word)(void *c, const unsigned references[], size_t n, number values[]) \
    { \
        int e = OK; \
        size_t k; \
        for (k = 0; e == OK && k < n; k++) { \
            double value = 0.0; \
            const int other = references[k] < N_CHANNELS && channels[references[k]].type == enumeration; \
            e = get_value((instance *)c, references[k], other ? enumeration : letter, &value); \
            values[k] = from; \
        } \
        return e; \
    } \
    PUBLIC int NAMED(fmi2Set##word)(void *c, const unsigned references[], size_t n, const number values[]) \
    { \
        int e = OK; \
        size_t k; \
        for (k = 0; e == OK && k < n; k++) { \
            const int other = references[k] < N_CHANNELS && channels[references[k]].type == enumeration; \
            e = set_value((instance *)c, references[k], other ? enumeration : letter, to); \
        } \
        return e; \
    }

GET_AND_SET(Real, double, 'r', 'r', value, values[k])
GET_AND_SET(Integer, int, 'i', 'e', (int)value, (double)values[k])
GET_AND_SET(Boolean, int, 'b', 'b', fabs(value) > 0.0, values[k] != 0 ? 1.0 : 0.0)

PUBLIC int NAMED(fmi2GetString)(void *c, const unsigned references[], size_t n, const char *values[])
{
    (void)references;
    (void)values;
    return n == 0U ? OK : wrong((instance *)c, "the model has no strings");
}

PUBLIC int NAMED(fmi2SetString)(void *c, const unsigned references[], size_t n, const char *const values[])
{
    (void)references;
    (void)values;
    return n == 0U ? OK : wrong((instance *)c, "the model has no strings");
}

PUBLIC int NAMED(fmi2GetFMUstate)(void *c, void **stored)
{
    return keep((instance *)c, stored);
}

PUBLIC int NAMED(fmi2SetFMUstate)(void *c, void *stored)
{
    return go_back((instance *)c, stored);
}

PUBLIC int NAMED(fmi2FreeFMUstate)(void *c, void **stored)
{
    (void)c;
    free(*stored);
    *stored = NULL;
    return OK;
}

PUBLIC int NAMED(fmi2SerializedFMUstateSize)(void *c, void *stored, size_t *size)
{
    (void)c;
    (void)stored;
    *size = sizeof token + sizeof(state);
    return OK;
}

PUBLIC int NAMED(fmi2SerializeFMUstate)(void *c, void *stored, char bytes[], size_t size)
{
    return to_bytes((instance *)c, stored, (unsigned char *)bytes, size);
}

PUBLIC int NAMED(fmi2DeSerializeFMUstate)(void *c, const char bytes[], size_t size, void **stored)
{
    return from_bytes((instance *)c, (const unsigned char *)bytes, size, stored);
}

PUBLIC int NAMED(fmi2GetDirectionalDerivative)(void *c, const unsigned unknowns[], size_t n, const unsigned knowns[], size_t m, const double seed[], double change[])
{
    (void)unknowns;
    (void)n;
    (void)knowns;
    (void)m;
    (void)seed;
    (void)change;
    return wrong((instance *)c, "there are no directional derivatives");
}

PUBLIC int NAMED(fmi2SetRealInputDerivatives)(void *c, const unsigned references[], size_t n, const int orders[], const double values[])
{
    (void)references;
    (void)orders;
    (void)values;
    return n == 0U ? OK : wrong((instance *)c, "inputs are constant in a communication step");
}

PUBLIC int NAMED(fmi2GetRealOutputDerivatives)(void *c, const unsigned references[], size_t n, const int orders[], double values[])
{
    (void)references;
    (void)orders;
    (void)values;
    return n == 0U ? OK : wrong((instance *)c, "there are no derivatives of outputs");
}

PUBLIC int NAMED(fmi2DoStep)(void *c, double time, double size, int no_way_back)
{
    int ended = 0, e = go_on((instance *)c, time, size, &ended);
    (void)no_way_back;
    return e == OK && ended ? DISCARD : e;
}

PUBLIC int NAMED(fmi2CancelStep)(void *c)
{
    return wrong((instance *)c, "steps are never pending");
}

PUBLIC int NAMED(fmi2GetStatus)(void *c, int kind, int *value)
{
    (void)kind;
    *value = OK;
    return wrong((instance *)c, "steps are never pending");
}

PUBLIC int NAMED(fmi2GetRealStatus)(void *c, int kind, double *value)
{
    /* 2: the last time that was reached. */
    *value = @N@_time(&((instance *)c)->now.model);
    return kind == 2 ? OK : DISCARD;
}

PUBLIC int NAMED(fmi2GetIntegerStatus)(void *c, int kind, int *value)
{
    (void)c;
    (void)kind;
    *value = 0;
    return DISCARD;
}

PUBLIC int NAMED(fmi2GetBooleanStatus)(void *c, int kind, int *value)
{
    /* 3: has the model ended the run? */
    *value = ((instance *)c)->now.model.ended != 0;
    return kind == 3 ? OK : DISCARD;
}

PUBLIC int NAMED(fmi2GetStringStatus)(void *c, int kind, const char **value)
{
    (void)c;
    (void)kind;
    *value = "";
    return DISCARD;
}
