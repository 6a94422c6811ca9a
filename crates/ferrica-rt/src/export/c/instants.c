/* Events at grid points. Those whose time is known come in their order, each at its own time. */

static const unsigned @N@_unknown[] = { @UNKNOWNS@ };

static int @N@_same_point(double a, double b)
{
    return fabs(a - b) <= 1e-6 * @H@;
}

/* Does the relation hold where its sides are equal? */
static int @N@_at_threshold(int k)
{
    return @N@_operator[k] == '[' || @N@_operator[k] == ']' || @N@_operator[k] == '=';
}

/* When does each condition of time change next? */
static int @N@_predict(@N@_model *m)
{
    double *s = m->s;
    const double t = s[0];
    double next = HUGE_VAL;
    int k, e = 0;
    if (@HAS_TIMED@) {
        e = @N@_relations(s);
        for (k = 0; k < @N_RELATIONS@; k++) {
            m->change[k] = s[@N@_relation[k][3]];
        }
        if (e == 0) {
            s[0] = t + 1.0;
            e = @N@_relations(s);
            s[0] = t;
        }
        for (k = 0; e == 0 && k < @N_RELATIONS@; k++) {
            const double now = m->change[k], slope = s[@N@_relation[k][3]] - now;
            const int up = @N@_operator[k] == '>' || @N@_operator[k] == ']';
            const int positive = up == @N@_is_true(s[@N@_relation[k][0]]);
            m->change[k] = HUGE_VAL;
            m->slope[k] = slope;
            if (@N@_timed[k] && (positive ? slope < 0.0 : slope > 0.0)) {
                const double at = t - now / slope;
                /* `time > 0` does not hold at 0 but right after it: there is an event at this very instant. */
                if (at > t || @N@_same_time(at, t)) {
                    m->change[k] = at > t ? at : t;
                    next = m->change[k] < next ? m->change[k] : next;
                }
            }
        }
        /* The slope over a second has lost digits where the threshold is far away. */
        if (e == 0 && next > t && next < HUGE_VAL) {
            s[0] = next;
            e = @N@_relations(s);
            s[0] = t;
            for (k = 0; e == 0 && k < @N_RELATIONS@; k++) {
                if (m->change[k] <= next + @ROUGHLY@ * fabs(next)) {
                    const double at = next - s[@N@_relation[k][3]] / m->slope[k];
                    m->change[k] = at > t ? at : t;
                }
            }
        }
        if (e == 0) {
            e = @N@_relations(s);
        }
    }
    return e;
}

static double @N@_next(@N@_model *m)
{
    double next = @NEXT_JUMP@;
    int k;
    for (k = 0; k < @N_SAMPLERS@; k++) {
        const double at = m->sampling[k][0] + m->sample[k] * m->sampling[k][1];
        if (at < next) {
            next = at;
        }
    }
    for (k = 0; k < @N_TIMED@; k++) {
        if (m->change[k] < next) {
            next = m->change[k];
        }
    }
    return next;
}

/* Another time with the present states. */
static int @N@_move_to(@N@_model *m, double t)
{
    int e = 0;
    if (!@N@_equal(m->s[0], t)) {
        m->s[0] = t;
@DELAYS_AT_POINT@        if (e == 0) {
            e = @N@_continuous(m->s);
        }
    }
    return e;
}

/* One event: what is due at the present time, until nothing changes. */
static int @N@_instant(@N@_model *m)
{
    double *s = m->s;
    int k, e;
    @N@_take_left_limits(m);
    for (k = 0; k < @N_SAMPLERS@; k++) {
        if (m->due[k]) {
            s[@N@_sampler[k]] = 1.0;
        }
    }
    for (k = 0; k < @N_RELATIONS@; k++) {
        /* A condition of time that has turned at this very time stays as it is, although the numbers themselves do not tell. */
        if (@N@_timed[k] && m->forced[k] < 0 && @N@_same_time(s[@N@_relation[k][1]], s[@N@_relation[k][2]])) {
            m->forced[k] = @N@_is_true(s[@N@_relation[k][0]]);
        }
        m->kept[k] = m->forced[k];
        if (m->forced[k] >= 0) {
            s[@N@_relation[k][0]] = m->forced[k];
        }
    }
    e = @N@_settle(m);
    if (e == 0) {
        e = @N@_actions(s);
    }
    if (e == 0) {
        e = @N@_check(m, 0);
    }
@DELAYS_AFTER_EVENT@    m->events += 1UL;
    return e == 0 ? @N@_predict(m) : e;
}

/* The samplers and conditions of time that are due at `at`. What turns right after its threshold (`time > t`) has its old value in an event there, and an
   event of its own behind that. */
static void @N@_take_due(@N@_model *m, double at)
{
    int k, any = 0;
    for (k = 0; k < @N_SAMPLERS@; k++) {
        const double next = m->sampling[k][0] + m->sample[k] * m->sampling[k][1];
        m->due[k] = next <= at || @N@_same_time(next, at);
        if (m->due[k]) {
            m->sample[k] += 1.0;
            any = 1;
        }
    }
    for (k = 0; k < @N_RELATIONS@; k++) {
        m->forced[k] = -1;
        if (@HAS_TIMED@ && (m->change[k] <= at || @N@_same_time(m->change[k], at))) {
            m->forced[k] = !@N@_is_true(m->s[@N@_relation[k][0]]);
            m->change[k] = HUGE_VAL;
            any = any || @N@_at_threshold(k) == m->forced[k];
        }
    }
    for (k = 0; any && k < @N_RELATIONS@; k++) {
        if (m->forced[k] >= 0) {
            m->forced[k] = @N@_at_threshold(k);
        }
    }
}

static void @N@_nothing_due(@N@_model *m)
{
    int k;
    for (k = 0; k < @N_SAMPLERS@; k++) {
        m->due[k] = 0;
    }
    for (k = 0; k < @N_RELATIONS@; k++) {
        m->forced[k] = -1;
    }
}

/* A condition of time that changes twice in one step is lost on the states. */
static int @N@_lost(@N@_model *m, double at)
{
    int k, e = 0;
    for (k = 0; k < @N_RELATIONS@; k++) {
        const int memory = @N@_is_true(m->s[@N@_relation[k][0]]);
        if (!@N@_timed[k]) {
            continue;
        }
        if (m->kept[k] >= 0) {
            if (m->fired[k] > -HUGE_VAL && m->fired[k] < at) {
                e = @UPPER@_LOST_INSTANT;
            }
            m->fired[k] = at;
        }
        if (memory != m->memory[k]) {
            if (m->changed[k] > -HUGE_VAL && m->changed[k] < at) {
                e = @UPPER@_LOST_INSTANT;
            }
            m->changed[k] = at;
            m->memory[k] = memory;
        }
    }
    return e;
}

/* All events of known time up to the grid point `t`. */
static int @N@_known_events(@N@_model *m, double t)
{
    double at = t, before = -HUGE_VAL, next = @N@_next(m);
    int k, e = 0, repeated = 0;
    for (k = 0; k < @N_RELATIONS@; k++) {
        m->fired[k] = -HUGE_VAL;
        m->changed[k] = -HUGE_VAL;
        m->memory[k] = @N@_is_true(m->s[@N@_relation[k][0]]);
    }
    while (e == 0 && m->ended == 0 && (next <= t || @N@_same_point(next, t))) {
        /* Up to rounding it is the grid point. */
        at = (next <= t && @N@_same_point(next, t)) || @N@_same_time(next, t) ? t : next;
        @N@_take_due(m, at);
        e = @N@_move_to(m, at);
@LET_GO@        if (e == 0) {
            e = @N@_instant(m);
        }
        if (e == 0) {
            e = @N@_lost(m, at);
        }
        repeated = at > before ? 0 : repeated + 1;
        before = at;
        if (e == 0 && repeated >= @MAX_PASSES@) {
            e = @UPPER@_UNSETTLED;
        }
        next = @N@_next(m);
    }
    if (e == 0 && m->ended == 0) {
        if (at < t && !@N@_same_point(at, t)) {
            @N@_nothing_due(m);
            e = @N@_move_to(m, t);
            if (e == 0) {
                e = @N@_instant(m);
            }
        } else {
            m->s[0] = t;
        }
    }
    return e;
}

static int @N@_differs(double a, double b)
{
    double size = fabs(a) > fabs(b) ? fabs(a) : fabs(b);
    if (size < 1.0) {
        size = 1.0;
    }
    return fabs(a - b) > 1e-6 * size;
}

/* The history of the formula begins at the present point. */
static void @N@_begin_history(@N@_model *m)
{
    double *s = m->s;
    int k;
    for (k = 0; k < @HISTORY_DEPTH@ * @N_STATES@; k++) {
        s[@HISTORY@ + k] = s[@STATES@ + k % @N_STATES_OR_1@];
    }
    m->start_up = @HISTORY_DEPTH@;
    m->restart = 0;
    m->dies_away = 0;
@TURNS_AROUND@}

/* An event at the present point, with or without instants of known time. Where it moves unknowns the history ends. */
static int @N@_happen(@N@_model *m, int known)
{
    double *s = m->s;
    int k, e;
    e = @N@_outputs(s);
    for (k = 0; k < @N_UNKNOWNS@; k++) {
        m->before[k] = s[@N@_unknown[k]];
    }
    if (e == 0 && known) {
        e = @N@_known_events(m, s[0]);
    } else if (e == 0) {
        @N@_nothing_due(m);
        e = @N@_instant(m);
    } else {
        /* Values that the event needs are not known. */
    }
    m->moved = 0;
    for (k = 0; k < @N_UNKNOWNS@; k++) {
        m->moved = m->moved || @N@_differs(m->before[k], s[@N@_unknown[k]]);
    }
    if (e == 0 && m->moved) {
        @N@_begin_history(m);
    }
@DELAYS_AFTER_POINT@    return e;
}

static int @N@_event(@N@_model *m)
{
    double *s = m->s;
    const double next = @N@_next(m);
    const int known = next <= s[0] || @N@_same_point(next, s[0]);
    int k, e = 0, crossed = m->unsettled > 0;
    if (@CROSSES@) {
        e = @N@_relations(s);
        for (k = 0; k < @N_RELATIONS@; k++) {
            crossed = crossed || @N@_relation_holds(k, s) != @N@_is_true(s[@N@_relation[k][0]]);
        }
    }
    if (e == 0 && (known || crossed)) {
        e = @N@_happen(m, known);
    } else if (e == 0 && @ASSERTS@) {
        e = @N@_actions(s);
        if (e == 0) {
            e = @N@_check(m, 0);
        }
    }
    return e;
}

