/* The event iteration at one instant: passes with the left limits held until conditions and values agree, then reinit and what is watched, until nothing
   changes. The passes, their order and their constants are those of a run. `s` has the values of all variables; `forced` is the new side of each relation that
   was found to change, -1 for the others. */

static const unsigned @N@_relation[][4] = { @RELATIONS@ };
static const char @N@_operator[] = "@OPERATORS@";
static const unsigned char @N@_timed[] = { @TIMED@ };
/* What says whether a relation is still the same function, its limits or what they read: from the first number on. */
static const unsigned @N@_reads_from[] = { @READS_FROM@ };
static const unsigned @N@_reads[] = { @READS@ };
static const unsigned @N@_pre[][2] = { @PRE@ };
static const unsigned char @N@_asks[] = { @ASKS@ };
static const unsigned @N@_reinit[][3] = { @REINITS@ };
static const unsigned @N@_sampler[] = { @SAMPLERS@ };

/* A threshold that rounding has moved past the present time is at it. */
static int @N@_relation_holds(int k, const double *s)
{
    const double a = s[@N@_relation[k][1]], b = s[@N@_relation[k][2]];
    const int at = @N@_timed[k] && @N@_same_time(a, b);
    return @N@_holds(@N@_operator[k], at ? 0.0 : a, at ? 0.0 : b);
}

/* Is a relation that was found to change still on its new side, by where its sides are? What was found is said by whoever found it. */
static int @N@_keeps(const @N@_model *m, int k, double nearness);

/* Have reinits moved the sides of a relation, or made them equal? That is meant, and no longer the crossing that was found. */
static int @N@_is_moved(const @N@_model *m, int k)
{
    const double a = m->s[@N@_relation[k][1]], b = m->s[@N@_relation[k][2]];
    const double now = a - b, before = m->gap[k];
    return !@N@_equal(now, before) && (@N@_equal(now, 0.0) || fabs(now - before) > @MOVED@ * (fabs(a) + fabs(b) + fabs(before)));
}

/* The side of a relation in a pass: one that is forced may keep its new side, any other keeps its present side within the nearness. */
static int @N@_side(const @N@_model *m, int k, double nearness)
{
    const double *s = m->s;
    const double a = s[@N@_relation[k][1]], b = s[@N@_relation[k][2]];
    const double scale = fabs(a) > fabs(b) ? fabs(a) : fabs(b);
    int side = @N@_relation_holds(k, s);
    if (m->forced[k] >= 0) {
        if (@N@_keeps(m, k, nearness)) {
            side = m->forced[k];
        }
    } else if (nearness > 0.0 && !@N@_timed[k] && fabs(a - b) <= nearness * (scale > 1.0 ? scale : 1.0)) {
        side = @N@_is_true(s[@N@_relation[k][0]]);
    }
    return side;
}

/* An event begins: the present values are the left limits, and what conditions read is noted. */
static void @N@_take_left_limits(@N@_model *m)
{
    double *s = m->s;
    unsigned at;
    int k;
    for (k = 0; k < @N_PRE@; k++) {
        s[@N@_pre[k][1]] = s[@N@_pre[k][0]];
    }
    for (k = 0; k < @N_RELATIONS@; k++) {
        for (at = @N@_reads_from[k]; at < @N@_reads_from[k + 1]; at++) {
            m->read[at] = s[@N@_reads[at]];
        }
    }
}

/* Has an event moved what a forced relation compares? Then it is no longer the one that was found to change. While the left limits are held one that went back
   because of that is waited for: it may be moved back. One that went back without it was no crossing. */
static void @N@_keep_confirmed(@N@_model *m, int held)
{
    const double *s = m->s;
    unsigned at;
    int k;
    for (k = 0; k < @N_RELATIONS@; k++) {
        const int crossed = !held || @N@_is_true(s[@N@_relation[k][0]]) == m->forced[k];
        int same = 1;
        for (at = @N@_reads_from[k]; at < @N@_reads_from[k + 1]; at++) {
            same = same && @N@_equal(s[@N@_reads[at]], m->read[at]);
        }
        if (crossed != same) {
            m->forced[k] = -1;
        }
    }
}

/* Do the conditions of a pass repeat those of an earlier one, and not of the last? They are noted. */
static int @N@_circle(const double *s, unsigned char seen[][@N_RELATIONS_OR_1@], int *count)
{
    int row, k, earlier = 0, last = 0;
    for (k = 0; k < @N_RELATIONS@; k++) {
        seen[*count][k] = (unsigned char)@N@_is_true(s[@N@_relation[k][0]]);
    }
    for (row = 0; row < *count; row++) {
        int same = 1;
        for (k = 0; k < @N_RELATIONS@; k++) {
            same = same && seen[row][k] == seen[*count][k];
        }
        earlier = earlier || same;
        last = same;
    }
    *count += 1;
    return earlier && !last;
}

/* What is watched, its conditions being known: what has a guard, in a pass, or the other assertions. The number of the failure that ends the run, or 0. */
static int @N@_check(@N@_model *m, int guarded);

/* What a pass does once its conditions agree with the values; 1 in `changed` if another one must follow. */
static int @N@_act(@N@_model *m, int *changed)
{
    double *s = m->s;
    int k, e;
    for (k = 0; k < @N_RELATIONS@; k++) {
        m->gap[k] = s[@N@_relation[k][1]] - s[@N@_relation[k][2]];
    }
    for (k = 0; k < @N_REINITS@; k++) {
        m->reset[k] = @N@_is_true(s[@N@_reinit[k][1]]);
        m->reset_to[k] = s[@N@_reinit[k][2]];
    }
    for (k = 0; k < @N_REINITS@; k++) {
        double *state = &s[@N@_reinit[k][0]];
        const int given = m->reset[k] && !@N@_equal(*state, m->reset_to[k]);
        if (given) {
            *state = m->reset_to[k];
            m->given = 1;
        }
        if (given || (m->reset[k] && !m->met)) {
            m->met = 1;
            *changed = 1;
        }
    }
    e = @N@_check(m, 1);
    for (k = 0; k < @N_PRE@; k++) {
        const double now = s[@N@_pre[k][0]];
        double *pre = &s[@N@_pre[k][1]];
        if (!@N@_equal(now, *pre) && !(isnan(now) && isnan(*pre))) {
            if (@N@_asks[k] == 1 || (@N@_asks[k] == 2 && @N@_is_true(now))) {
                *changed = 1;
            }
            *pre = now;
        }
    }
    /* `sample` is true in the first pass. */
    for (k = 0; k < @N_SAMPLERS@; k++) {
        if (@N@_is_true(s[@N@_sampler[k]])) {
            s[@N@_sampler[k]] = 0.0;
            *changed = 1;
        }
    }
    return e;
}

/* Passes until nothing changes; 0 in `settled` if something still did in the last one. */
static int @N@_passes(@N@_model *m, int *settled)
{
    double *s = m->s;
    double nearness = 0.0;
    unsigned char seen[@PASSES@][@N_RELATIONS_OR_1@];
    int pass, k, e = 0, noted = 0, evaluations = 0, stuck = 0, given_up = 0, changed = 1, passed = 0;
    m->given = 0;
    m->met = 0;
    for (pass = 0; e == 0 && changed && pass < @PASSES@; pass++) {
        changed = 0;
@RECALL@        e = @N@_all(s);
        if (e != 0) {
            break;
        }
        /* Limits have followed the left limits of the last pass. */
        if (passed) {
            @N@_keep_confirmed(m, 0);
            passed = 0;
        }
        if (pass == @PATIENT@) {
            nearness = @BAND@;
        } else if (nearness > 0.0) {
            nearness *= 2.0;
        }
        if (nearness > 1e-2) {
            nearness = 1e-2;
        }
        for (k = 0; k < @N_RELATIONS@; k++) {
            double now, *memory;
            if (m->given && @N@_is_moved(m, k)) {
                m->forced[k] = -1;
            }
            now = @N@_side(m, k, nearness);
            memory = &s[@N@_relation[k][0]];
            if (!@N@_equal(*memory, now)) {
                *memory = now;
                changed = 1;
            }
        }
        m->given = 0;
        @N@_keep_confirmed(m, 1);
        /* While conditions change, the left limits are held. */
        if (changed && pass + 1 < @PASSES@) {
            evaluations += 1;
            if (!given_up) {
                stuck = evaluations >= @CALM@ && (@N@_circle(s, seen, &noted) || evaluations >= @HELD@);
                if (!stuck) {
                    continue;
                }
            }
        }
        given_up = given_up || stuck;
        evaluations = 0;
        noted = 0;
        if (changed) {
            e = @N@_actions(s);
        }
        if (e == 0) {
            e = @N@_act(m, &changed);
        }
        @N@_keep_confirmed(m, 0);
        passed = 1;
    }
    *settled = !changed;
    return e;
}
