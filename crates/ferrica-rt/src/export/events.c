/* Events at grid points. Those whose time is known come in their order, each at its own time. */

static const unsigned @N@_relation[][4] = { @RELATIONS@ };
static const char @N@_operator[] = "@OPERATORS@";
static const unsigned char @N@_timed[] = { @TIMED@ };
static const unsigned @N@_pre[][2] = { @PRE@ };
static const unsigned char @N@_asks[] = { @ASKS@ };
static const unsigned @N@_reinit[][3] = { @REINITS@ };
static const unsigned @N@_sampler[] = { @SAMPLERS@ };
static const unsigned @N@_unknown[] = { @UNKNOWNS@ };

static int @N@_same_time(double a, double b)
{
    const double size = fabs(a) > fabs(b) ? fabs(a) : fabs(b);
    return size < HUGE_VAL && fabs(a - b) <= 1.7763568394002505e-15 * size;
}

static int @N@_same_point(double a, double b)
{
    return fabs(a - b) <= 1e-6 * @H@;
}

static int @N@_relation_holds(int k, const double *s)
{
    const double a = s[@N@_relation[k][1]], b = s[@N@_relation[k][2]];
    switch (@N@_operator[k]) {
    case '<': return a < b;
    case '[': return a <= b;
    case '>': return a > b;
    case ']': return a >= b;
    case '=': return a == b;
    default: return a != b;
    }
}

/* The side of a relation in a pass: a forced one of time keeps its new side within rounding of its threshold, any other
   its present side within the nearness. */
static int @N@_side(const @N@_model *m, int k, double nearness)
{
    const double *s = m->s;
    const double a = s[@N@_relation[k][1]], b = s[@N@_relation[k][2]];
    const double scale = fabs(a) > fabs(b) ? fabs(a) : fabs(b);
    if (m->forced[k] >= 0) {
        if (fabs(a - b) <= 1e-9 * scale)
            return m->forced[k];
    } else if (nearness > 0.0 && !@N@_timed[k] && fabs(a - b) <= nearness * (scale > 1.0 ? scale : 1.0)) {
        return s[@N@_relation[k][0]] != 0.0;
    }
    return @N@_relation_holds(k, s);
}

/* Do the conditions of a pass repeat those of an earlier one, and not of the last? They are noted. */
static int @N@_circle(const double *s, unsigned char seen[][@N_RELATIONS_OR_1@], int *count)
{
    int row, k, earlier = 0, last = 0;
    for (k = 0; k < @N_RELATIONS@; k++)
        seen[*count][k] = s[@N@_relation[k][0]] != 0.0;
    for (row = 0; row < *count; row++) {
        int same = 1;
        for (k = 0; k < @N_RELATIONS@; k++)
            same &= seen[row][k] == seen[*count][k];
        earlier |= same;
        last = same;
    }
    *count += 1;
    return earlier && !last;
}

static int @N@_settle(@N@_model *m)
{
    double *s = m->s;
    double nearness = 0.0;
    unsigned char seen[@PASSES@][@N_RELATIONS_OR_1@];
    int pass, k, e, noted = 0, evaluations = 0, stuck = 0, given_up = 0;
    for (pass = 0; pass < @PASSES@; pass++) {
        int changed = 0;
        if ((e = @N@_all(s)) != 0 || (e = @N@_relations(s)) != 0)
            return e;
        if (pass == @PATIENT@)
            nearness = @BAND@;
        else if (nearness > 0.0)
            nearness *= 2.0;
        if (nearness > 1e-2)
            nearness = 1e-2;
        for (k = 0; k < @N_RELATIONS@; k++) {
            const double now = @N@_side(m, k, nearness);
            double *memory = &s[@N@_relation[k][0]];
            if (*memory != now) {
                *memory = now;
                changed = 1;
            }
        }
        for (k = 0; k < @N_RELATIONS@; k++)
            if (m->forced[k] >= 0 && s[@N@_relation[k][0]] != m->forced[k])
                m->forced[k] = -1;
        /* While conditions change, the left limits are held. */
        if (changed && pass + 1 < @PASSES@) {
            evaluations += 1;
            if (!given_up) {
                stuck = evaluations >= @CALM@ && (@N@_circle(s, seen, &noted) || evaluations >= @HELD@);
                if (!stuck)
                    continue;
            }
        }
        given_up |= stuck;
        evaluations = 0;
        noted = 0;
        if ((e = @N@_actions(s)) != 0)
            return e;
        for (k = 0; k < @N_REINITS@; k++) {
            double *state = &s[@N@_reinit[k][0]];
            if (s[@N@_reinit[k][1]] != 0.0 && *state != s[@N@_reinit[k][2]]) {
                *state = s[@N@_reinit[k][2]];
                changed = 1;
            }
        }
        for (k = 0; k < @N_PRE@; k++) {
            const double now = s[@N@_pre[k][0]];
            double *pre = &s[@N@_pre[k][1]];
            if (now != *pre && (now == now || *pre == *pre)) {
                changed |= @N@_asks[k] == 1 || (@N@_asks[k] == 2 && now != 0.0);
                *pre = now;
            }
        }
        if (!changed)
            break;
    }
    return 0;
}

/* When does each condition of time change next? */
static int @N@_predict(@N@_model *m)
{
    double *s = m->s;
    const double t = s[0];
    int k, e;
    if (!@HAS_TIMED@)
        return 0;
    if ((e = @N@_relations(s)) != 0)
        return e;
    for (k = 0; k < @N_RELATIONS@; k++)
        m->change[k] = s[@N@_relation[k][3]];
    s[0] = t + 1.0;
    e = @N@_relations(s);
    s[0] = t;
    if (e != 0)
        return e;
    for (k = 0; k < @N_RELATIONS@; k++) {
        const double now = m->change[k], slope = s[@N@_relation[k][3]] - now;
        const int up = @N@_operator[k] == '>' || @N@_operator[k] == ']';
        const int positive = up == (s[@N@_relation[k][0]] != 0.0);
        m->change[k] = HUGE_VAL;
        if (@N@_timed[k] && (positive ? slope < 0.0 : slope > 0.0)) {
            const double at = t - now / slope;
            if (at > t && !@N@_same_time(at, t))
                m->change[k] = at;
        }
    }
    return @N@_relations(s);
}

static double @N@_next(const @N@_model *m)
{
    double next = HUGE_VAL;
    int k;
    for (k = 0; k < @N_SAMPLERS@; k++) {
        const double at = m->sampling[k][0] + m->sample[k] * m->sampling[k][1];
        if (at < next)
            next = at;
    }
    if (@HAS_TIMED@)
        for (k = 0; k < @N_RELATIONS@; k++)
            if (m->change[k] < next)
                next = m->change[k];
    return next;
}

/* Another time with the present states. */
static int @N@_move_to(@N@_model *m, double t)
{
    if (m->s[0] == t)
        return 0;
    m->s[0] = t;
    return @N@_continuous(m->s);
}

/* One event: what is due at the present time, until nothing changes. */
static int @N@_instant(@N@_model *m)
{
    double *s = m->s;
    int k, e, sampled = 0;
    for (k = 0; k < @N_PRE@; k++)
        s[@N@_pre[k][1]] = s[@N@_pre[k][0]];
    for (k = 0; k < @N_SAMPLERS@; k++)
        if (m->due[k]) {
            s[@N@_sampler[k]] = 1.0;
            sampled = 1;
        }
    for (k = 0; k < @N_RELATIONS@; k++) {
        m->kept[k] = m->forced[k];
        if (m->forced[k] >= 0)
            s[@N@_relation[k][0]] = m->forced[k];
    }
    if ((e = @N@_settle(m)) != 0)
        return e;
    if (sampled) {
        for (k = 0; k < @N_SAMPLERS@; k++)
            s[@N@_sampler[k]] = 0.0;
        for (k = 0; k < @N_RELATIONS@; k++)
            m->forced[k] = m->kept[k];
        if ((e = @N@_settle(m)) != 0)
            return e;
    }
    return @N@_predict(m);
}

/* The samplers and conditions of time that are due at `at`. */
static void @N@_take_due(@N@_model *m, double at)
{
    int k;
    for (k = 0; k < @N_SAMPLERS@; k++) {
        const double next = m->sampling[k][0] + m->sample[k] * m->sampling[k][1];
        m->due[k] = next <= at || @N@_same_time(next, at);
        if (m->due[k])
            m->sample[k] += 1.0;
    }
    for (k = 0; k < @N_RELATIONS@; k++) {
        m->forced[k] = -1;
        if (@HAS_TIMED@ && (m->change[k] <= at || @N@_same_time(m->change[k], at))) {
            m->forced[k] = m->s[@N@_relation[k][0]] == 0.0;
            m->change[k] = HUGE_VAL;
        }
    }
}

static void @N@_nothing_due(@N@_model *m)
{
    int k;
    for (k = 0; k < @N_SAMPLERS@; k++)
        m->due[k] = 0;
    for (k = 0; k < @N_RELATIONS@; k++)
        m->forced[k] = -1;
}

/* All events of known time up to the grid point `t`. A condition that changes twice in one step is lost on the states. */
static int @N@_known_events(@N@_model *m, double t)
{
    const double *s = m->s;
    double at = t, next;
    int k, e;
    for (k = 0; k < @N_RELATIONS@; k++) {
        m->fired[k] = -HUGE_VAL;
        m->changed[k] = -HUGE_VAL;
        m->memory[k] = s[@N@_relation[k][0]] != 0.0;
    }
    while ((next = @N@_next(m)) <= t || @N@_same_point(next, t)) {
        at = @N@_same_time(next, t) ? t : next;
        @N@_take_due(m, at);
        if ((e = @N@_move_to(m, at)) != 0 || (e = @N@_instant(m)) != 0)
            return e;
        for (k = 0; k < @N_RELATIONS@; k++) {
            const int memory = s[@N@_relation[k][0]] != 0.0;
            if (!@N@_timed[k])
                continue;
            if (m->kept[k] >= 0) {
                if (m->fired[k] > -HUGE_VAL && m->fired[k] < at)
                    return -2;
                m->fired[k] = at;
            }
            if (memory != m->memory[k]) {
                if (m->changed[k] > -HUGE_VAL && m->changed[k] < at)
                    return -2;
                m->changed[k] = at;
                m->memory[k] = memory;
            }
        }
    }
    if (at < t && !@N@_same_point(at, t)) {
        @N@_nothing_due(m);
        if ((e = @N@_move_to(m, t)) != 0)
            return e;
        return @N@_instant(m);
    }
    m->s[0] = t;
    return 0;
}

static int @N@_differs(double a, double b)
{
    double size = fabs(a) > fabs(b) ? fabs(a) : fabs(b);
    if (size < 1.0)
        size = 1.0;
    return fabs(a - b) > 1e-6 * size;
}

static int @N@_event(@N@_model *m)
{
    double *s = m->s;
    const double t = s[0], next = @N@_next(m);
    const int known = next <= t || @N@_same_point(next, t);
    int k, e, crossed = 0, moved = 0;
    if (@CROSSES@) {
        if ((e = @N@_relations(s)) != 0)
            return e;
        for (k = 0; k < @N_RELATIONS@; k++)
            crossed |= @N@_relation_holds(k, s) != (s[@N@_relation[k][0]] != 0.0);
    }
    if (!known && !crossed)
        return 0;
    if ((e = @N@_outputs(s)) != 0)
        return e;
    for (k = 0; k < @N_UNKNOWNS@; k++)
        m->before[k] = s[@N@_unknown[k]];
    if (known) {
        e = @N@_known_events(m, t);
    } else {
        @N@_nothing_due(m);
        e = @N@_instant(m);
    }
    if (e != 0)
        return e;
    for (k = 0; k < @N_UNKNOWNS@; k++)
        moved |= @N@_differs(m->before[k], s[@N@_unknown[k]]);
    if (moved) {
        for (k = 0; k < @HISTORY_DEPTH@ * @N_STATES@; k++)
            s[@HISTORY@ + k] = s[@STATES@ + k % @N_STATES_OR_1@];
        m->start_up = @HISTORY_DEPTH@;
    }
    return 0;
}
