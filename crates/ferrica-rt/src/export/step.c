void @N@_init(@N@_model *m)
{
    int k;
    for (k = 0; k < @N_SLOTS@; k++)
        m->s[k] = @N@_initial[k];
    m->step = 0;
    m->start_up = @START_UP@;
@INIT_EVENTS@}

int @N@_step(@N@_model *m)
{
    double *s = m->s;
    int e;
    m->step += 1;
    s[0] = @START@ + (double)m->step * @H@;
    if (m->start_up > 0) {
        m->start_up -= 1;
        e = @N@_formula@STARTING@(s);
    } else {
        e = @N@_formula0(s);
    }
    if (e)
        return e;
@CALL_EVENTS@    return 0;
}

int @N@_compute_outputs(@N@_model *m)
{
    return @N@_outputs(m->s);
}

double @N@_time(const @N@_model *m)
{
    return m->s[0];
}

double @N@_get(const @N@_model *m, int variable)
{
    return @N@_variables[variable].sign * m->s[@N@_variables[variable].slot];
}

void @N@_set_input(@N@_model *m, int input, double value)
{
    m->s[@N@_inputs[input]] = value;
}

const char *@N@_message(int error)
{
    if (error > 0 && error <= @N_MESSAGES@)
        return @N@_messages[error - 1];
    return error == -2 ? "a condition of time changes twice in one step: the step is too long" : "the equations become singular";
}
