/* Events that accumulate: the intervals between those of a condition shrink like a geometric series, and infinitely many of them lie before a finite time. On the
   grid the last ones are lost, and the model would go on as if the condition had no effect. The rule and its constants are those of a run. */

/* Condition `k` has changed to `memory` at `t`. */
static void @N@_note(@N@_model *m, int k, int memory, double t)
{
    double *s = m->series[k][memory];
    int *shrinking = &m->shrinking[k][memory];
    if (*shrinking < 0) {
        s[0] = t;
        s[1] = t;
        s[2] = HUGE_VAL;
        s[3] = 0.0;
        *shrinking = 0;
    } else {
        const double interval = t - s[1], ratio = interval / s[2];
        const double rest = interval * ratio / (1.0 - ratio), shortest = @FEW_STEPS@ * @H@;
        const int watched = m->watched == k;
        /* Both ends of both intervals may be off by a step. */
        const int steady = *shrinking == 0 || fabs(ratio - s[3]) <= @STEADY@ * s[3] + 4.0 * @H@ / s[2];
        /* Events of a condition that slides are as near as the grid lets them be. */
        if (s[2] > shortest && interval > 0.0 && ratio > 0.0 && ratio <= @SHRINKING@ && steady) {
            *shrinking += 1;
        } else if (interval > shortest && !(watched && ratio <= 1.0)) {
            *shrinking = 0;
            s[0] = s[1];
        } else {
            /* As short as a grid can show. */
        }
        s[1] = t;
        s[2] = interval;
        s[3] = ratio;
        if (*shrinking >= @FEW_INTERVALS@ && interval <= shortest) {
            m->watched = k;
            m->ends = t + @H@;
            m->overdue = m->ends + @OVERDUE@ * interval;
        } else if (*shrinking >= @INTERVALS@ && rest <= @NEARLY_OVER@ * (t - s[0])) {
            m->watched = k;
            m->ends = t + rest;
            m->overdue = m->ends + @OVERDUE@ * interval;
        } else if (watched) {
            m->watched = -1;
        } else {
            /* Nothing to watch. */
        }
    }
}

/* Which conditions have changed, now? */
static void @N@_notice(@N@_model *m)
{
    int k;
    for (k = 0; k < @N_RELATIONS@; k++) {
        const int now = @N@_is_true(m->s[@N@_relation[k][0]]);
        if (!@N@_timed[k] && now != m->seen[k]) {
            if (m->seen[k] >= 0) {
                @N@_note(m, k, now, m->s[0]);
            }
            m->seen[k] = now;
        }
    }
}

/* After a step: have events been lost that had to come? */
static int @N@_accumulation(@N@_model *m)
{
    const double t = m->s[0];
    int e = 0;
    @N@_notice(m);
    if (m->watched < 0 || t <= m->overdue) {
        m->looked = -1;
    } else {
        const double since = t - m->ends, zero = m->s[@N@_relation[m->watched][3]];
        if (m->looked != m->watched) {
            m->looked = m->watched;
            m->looked_since = since;
            m->looked_zero = zero;
        }
        if (since >= @LATER@ * m->looked_since) {
            /* The zero function of something at rest does not grow, that of something that falls does. */
            if (fabs(zero) > @GROWN@ * fabs(m->looked_zero)) {
                e = @UPPER@_ACCUMULATES;
            }
            m->watched = -1;
        }
    }
    return e;
}

