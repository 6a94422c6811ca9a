/* What the passes of an event ask of a step: which crossings were found how exactly, and assertions. */

/* Assertions: guard (0 for none), condition, 1 for an error and 0 for a warning. Terminations: their guards. */
static const unsigned @N@_assertion[][3] = { @ASSERTIONS@ };
static const unsigned @N@_termination[] = { @TERMINATIONS@ };

/* Near its threshold: within the accuracy of the solution, or of rounding where its time is known. */
static int @N@_keeps(const @N@_model *m, int k, double nearness)
{
    const double a = m->s[@N@_relation[k][1]], b = m->s[@N@_relation[k][2]];
    const double scale = fabs(a) > fabs(b) ? fabs(a) : fabs(b);
    const double width = nearness > @BAND@ ? nearness : @BAND@;
    return fabs(a - b) <= (@N@_timed[k] ? 1e-9 * scale : width * (scale > 1.0 ? scale : 1.0));
}

/* A failed assertion ends the run, or is remembered as a warning. */
static int @N@_check(@N@_model *m, int guarded)
{
    const double *s = m->s;
    int k, e = 0;
    for (k = 0; guarded && k < @N_TERMINATIONS@; k++) {
        if (m->ended == 0 && @N@_is_true(s[@N@_termination[k]])) {
            m->ended = @UPPER@_TERMINATED + k;
        }
    }
    for (k = 0; e == 0 && k < @N_ASSERTIONS@; k++) {
        const unsigned guard = @N@_assertion[k][0];
        const int due = guarded ? guard != 0U && @N@_is_true(s[guard]) : guard == 0U;
        if (due && !@N@_is_true(s[@N@_assertion[k][1]])) {
            if (@N@_assertion[k][2] != 0U) {
                e = @UPPER@_FAILED_ASSERTION + k;
            } else {
                m->warning = @UPPER@_FAILED_ASSERTION + k;
            }
        }
    }
    return e;
}

static int @N@_settle(@N@_model *m)
{
    int settled, e = @N@_passes(m, &settled);
    /* What has not settled goes on at the next step, for as many passes as a run would make. */
    m->unsettled = e == 0 && !settled ? m->unsettled + @PASSES@ : 0;
    if (m->unsettled > 0 && m->warning == 0) {
        m->warning = @UPPER@_SETTLES_LATE;
    }
    if (m->unsettled >= @MAX_PASSES@) {
        e = @UPPER@_UNSETTLED;
    }
    return e;
}

