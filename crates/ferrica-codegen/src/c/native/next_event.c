/* The first event of the list from number k on that is behind the time. */
static int P_event_after(const P_table *t, int k, double time, double rounding, double *at)
{
    int found = 0, first = k;
    for (; !found && k < t->events; k++) {
        const double gap = k > first ? t->event[k] - t->event[k - 1] : 0.0;
        if (t->event[k] > time + rounding + @EPSILON@ * gap) {
            *at = t->event[k];
            found = 1;
        }
    }
    return found;
}

/* The first event of a table over time after this time. */
static int P_table_next_event(double object, double time, double *at)
{
    const P_table *t = P_table_of(object, 0);
    *at = @NEVER@;
    if (t != 0 && time < t->start) {
        *at = t->start;
    } else if (t != 0 && t->n > 1) {
        const double s = time - t->shift, period = t->x[t->n - 1] - t->x[0];
        const double rounding = 1e-13 * fmax(fabs(time), fabs(t->shift));
        double found = 0.0;
        if (t->extrapolation == 3) {
            double k = floor((s - t->x[0]) / period);
            int tries;
            /* The period that has begun, or the next one. */
            for (tries = 0; tries < 3 && !P_event_after(t, 1, s - k * period, rounding, &found); tries++) {
                k += 1.0;
            }
            *at = found + k * period + t->shift;
        } else {
            const int begun = P_count(t->event, t->events, s, 1);
            if (P_event_after(t, begun > 0 ? begun - 1 : 0, s, rounding, &found)) {
                *at = found + t->shift;
            }
        }
    } else {
        /* No event any more. */
    }
    return t != 0 ? 0 : P_TABLE_OBJECT;
}

