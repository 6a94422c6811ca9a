/* Events, at grid points only. */

static const unsigned @N@_relation[][3] = { @RELATIONS@ };
static const char @N@_operator[] = "@OPERATORS@";
static const unsigned char @N@_timed[] = { @TIMED@ };
static const unsigned @N@_pre[][2] = { @PRE@ };
static const unsigned char @N@_counts[] = { @COUNTS@ };
static const unsigned @N@_reinit[][3] = { @REINITS@ };
static const unsigned @N@_sampler[] = { @SAMPLERS@ };
static const double @N@_sampling[][2] = { @SAMPLING@ };
static const unsigned @N@_unknown[] = { @UNKNOWNS@ };

static int @N@_holds(int k, const double *s)
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

/* Is a relation of time at its threshold? */
static int @N@_near(int k, const double *s)
{
    const double a = s[@N@_relation[k][1]], b = s[@N@_relation[k][2]];
    const double scale = fabs(a) > fabs(b) ? fabs(a) : fabs(b);
    return @N@_timed[k] && fabs(a - b) <= 1e-9 * scale;
}

static int @N@_settle(@N@_model *m)
{
    double *s = m->s;
    int pass, k, e;
    for (pass = 0; pass < @PASSES@; pass++) {
        int changed = 0;
        if ((e = @N@_all(s)) != 0 || (e = @N@_relations(s)) != 0)
            return e;
        for (k = 0; k < @N_RELATIONS@; k++) {
            double now = @N@_holds(k, s);
            double *memory = &s[@N@_relation[k][0]];
            if (m->forced[k] >= 0 && @N@_near(k, s))
                now = m->forced[k];
            if (*memory != now) {
                *memory = now;
                changed = 1;
            }
        }
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
            if (now != *pre) {
                changed |= @N@_counts[k];
                *pre = now;
            }
        }
        if (!changed)
            break;
    }
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
    const double t = s[0];
    int k, e, due = 0, crossed = 0, sampled = 0, moved = 0;
    for (k = 0; k < @N_SAMPLERS@; k++) {
        const double at = @N@_sampling[k][0] + m->sample[k] * @N@_sampling[k][1];
        if (at <= t || fabs(at - t) <= 1.7763568394002505e-15 * fabs(t)) {
            m->sample[k] += 1.0;
            m->due[k] = 1;
            sampled = 1;
        } else {
            m->due[k] = 0;
        }
    }
    if ((e = @N@_relations(s)) != 0)
        return e;
    for (k = 0; k < @N_RELATIONS@; k++) {
        const int memory = s[@N@_relation[k][0]] != 0.0;
        m->forced[k] = -1;
        if (@N@_near(k, s) && !m->flipped[k]) {
            m->forced[k] = !memory;
            m->flipped[k] = 1;
            due = 1;
        } else if (!@N@_near(k, s)) {
            m->flipped[k] = 0;
            crossed |= @N@_holds(k, s) != memory;
        }
    }
    if (!due && !crossed && !sampled)
        return 0;
    if ((e = @N@_outputs(s)) != 0)
        return e;
    for (k = 0; k < @N_UNKNOWNS@; k++)
        m->before[k] = s[@N@_unknown[k]];
    for (k = 0; k < @N_PRE@; k++)
        s[@N@_pre[k][1]] = s[@N@_pre[k][0]];
    for (k = 0; k < @N_SAMPLERS@; k++)
        if (m->due[k])
            s[@N@_sampler[k]] = 1.0;
    for (k = 0; k < @N_RELATIONS@; k++)
        if (m->forced[k] >= 0)
            s[@N@_relation[k][0]] = m->forced[k];
    if ((e = @N@_settle(m)) != 0)
        return e;
    if (sampled) {
        for (k = 0; k < @N_SAMPLERS@; k++)
            s[@N@_sampler[k]] = 0.0;
        if ((e = @N@_settle(m)) != 0)
            return e;
    }
    for (k = 0; k < @N_UNKNOWNS@; k++)
        moved |= @N@_differs(m->before[k], s[@N@_unknown[k]]);
    if (moved) {
        for (k = 0; k < @HISTORY_DEPTH@ * @N_STATES@; k++)
            s[@HISTORY@ + k] = s[@STATES@ + k % @N_STATES_OR_1@];
        m->start_up = @HISTORY_DEPTH@;
    }
    return 0;
}
