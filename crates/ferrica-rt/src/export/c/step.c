void @N@_init(@N@_model *m)
{
    int k;
    for (k = 0; k < @N_SLOTS@; k++) {
        m->s[k] = @N@_initial[k];
    }
    m->step = 0UL;
    m->events = 0UL;
    m->start_up = @START_UP@;
    m->restart = 0;
    m->unsettled = 0;
    m->warning = 0;
    m->ended = 0;
    m->touched = 0;
@INIT_WATCH@@INIT@}

/* One step of the formula to the present time. */
static int @N@_advance(@N@_model *m)
{
    double *s = m->s;
    int e = 0;
@DELAYS_AT_POINT@    if (e != 0) {
        /* The delayed values are not known. */
    }@RESTART@ else if (m->start_up > 0) {
        m->start_up -= 1;
        e = @N@_formula@STARTING@(s);
    } else {
        e = @N@_formula0(s);
    }
    if (e == 0) {
        e = @N@_finite(s, @N@_core, @N_CORE@);
    }
    return e;
}

int @N@_step(@N@_model *m)
{
    double *s = m->s;
    int e = m->ended;
@TOUCHED@    if (e == 0) {
@BEGIN@        m->step += 1UL;
        s[0] = @TIME@;
        if (e == 0) {
            e = @N@_advance(m);
        }
@WATCH_START@@WITHIN@@PUSH_DELAYS@@RESYNCHRONIZED@@CALL_EVENTS@@CALL_WATCH@    }
    return e == 0 ? m->ended : e;
}

int @N@_terminate(@N@_model *m)
{
    int e = 0;
@TERMINATE@    return e;
}

int @N@_compute_outputs(@N@_model *m)
{
    const int e = @N@_outputs(m->s);
    return e == 0 ? @N@_finite(m->s, @N@_left_out, @N_OUTPUTS@) : e;
}

double @N@_time(const @N@_model *m)
{
    return m->s[0];
}

double @N@_next_event(@N@_model *m)
{
@NEXT_EVENT@}

unsigned long @N@_events(const @N@_model *m)
{
    return m->events;
}

unsigned long @N@_unconverged(const @N@_model *m)
{
@UNCONVERGED@}

int @N@_warning(@N@_model *m)
{
    const int warning = m->warning;
    m->warning = 0;
    return warning;
}

double @N@_get(const @N@_model *m, int variable)
{
    return @N@_variables[variable].sign * m->s[@N@_variables[variable].slot];
}

void @N@_set_input(@N@_model *m, int input, double value)
{
    double *slot = &m->s[@N@_inputs[input]];
    /* One that is not a real number changes at events only. */
    if (@N@_input_is_discrete[input] != 0 && fabs(*slot - value) > 0.0) {
        m->touched = 1;
    }
    *slot = value;
}

double @N@_get_input(const @N@_model *m, int input)
{
    return m->s[@N@_inputs[input]];
}
@REFRESH@
const char *@N@_code(int result)
{
    const char *code = "E0605";
    if (result == @UPPER@_LOST_INSTANT) {
        code = "E0615";
    } else if (result == @UPPER@_UNSETTLED) {
        code = "E0606";
    } else if (result == @UPPER@_ACCUMULATES) {
        code = "E0614";
    } else if (result == @UPPER@_DIVERGES) {
        code = "E0616";
    } else if (result == @UPPER@_START_TOO_FAST || result == @UPPER@_SETTLES_LATE) {
        code = "W0601";
    } else if (result >= @UPPER@_FAILED_ASSERTION && result < @UPPER@_TERMINATED) {
        code = "E0607";
    } else if (result == @UPPER@_SINGULAR || result == @UPPER@_NOT_FINITE || result == @UPPER@_NOT_CONVERGED) {
        code = "E0611";
    } else {
        /* An evaluation. */
    }
    return code;
}

