static const double @N@_initial[@N_SLOTS@] = {
    @INITIAL@
};
static const unsigned @N@_inputs[] = { @INPUTS@ };
static const unsigned char @N@_input_is_discrete[] = { @DISCRETE@ };
static const unsigned @N@_core[] = { @CORE@ };
static const unsigned @N@_left_out[] = { @OUTPUTS@ };
static const char *const @N@_texts[] = { @TEXTS@ };

const @N@_variable @N@_variables[] = { @VARIABLES@ };

/* Are all these values numbers? */
static int @N@_finite(const double *s, const unsigned *slots, int count)
{
    int k, e = 0;
    for (k = 0; k < count; k++) {
        if (!isfinite(s[slots[k]])) {
            e = @UPPER@_NOT_FINITE;
        }
    }
    return e;
}

const char *@N@_message(int result)
{
    const char *text = "the run goes on";
    if (result > 0 && result <= @N_TEXTS@) {
        text = @N@_texts[result - 1];
    } else if (result == @UPPER@_SINGULAR) {
        text = "the equations become singular";
    } else if (result == @UPPER@_LOST_INSTANT) {
        text = "a condition of time changes twice in one step: the step is too long";
    } else if (result == @UPPER@_NOT_FINITE) {
        text = "a variable is no longer a finite number";
    } else if (result == @UPPER@_UNSETTLED) {
        text = "the event does not settle: conditions keep changing each other";
    } else if (result == @UPPER@_NOT_CONVERGED) {
        text = "Newton's iteration of the step does not converge";
    } else if (result == @UPPER@_NO_ROOM) {
        text = "the history of a delayed signal has no room: more events than foreseen, or a longer delay";
    } else if (result == @UPPER@_DIVERGES) {
        text = "a state leaves its scale: steps of @H@ s do not converge in their iterations";
    } else if (result == @UPPER@_ACCUMULATES) {
        text = "the events of a condition accumulate: infinitely many of them before this time";
    } else if (result == @UPPER@_START_TOO_FAST) {
        text = "a state moves far in the first step with a slope that is gone at its end: a step of @H@ s is too long for what happens at the start";
    } else if (result == @UPPER@_SETTLES_LATE) {
        text = "the conditions of an event do not agree with the values within the passes of a step: until they do the values of this mode are not to be trusted";
    } else {
        /* Nothing has failed. */
    }
    return text;
}

