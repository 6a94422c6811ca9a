/* Instants inside of a step: each is met where it is on the curves on which the states go through the step; from there the formula takes a whole step, and its
   curves lead back to the grid. The curves and the search for a crossing are those of a run. */

/* The parabola through both ends with the smaller of the bends that the slopes ask for, a straight line where they differ in sign. */
static double @N@_on_curve(double part, double h, const double *from, const double *to)
{
    const double d = (to[0] - from[0]) / h;
    const double a = d - from[1], b = to[1] - d;
    double bend = 0.0;
    if (a * b > 0.0) {
        bend = fabs(a) < fabs(b) ? a : b;
    }
    return from[0] + part * (to[0] - from[0]) - part * (1.0 - part) * h * bend;
}

/* States and derivatives at one end of a curve. */
static void @N@_take_end(const @N@_model *m, double end[][2])
{
    int k;
    for (k = 0; k < @N_STATES@; k++) {
        end[k][0] = m->s[@STATES@ + k];
        end[k][1] = m->s[@DERIVATIVES@ + k];
    }
}

/* All that follows from the present states at a time. */
static int @N@_evaluate_at(@N@_model *m, double t)
{
    int e = 0;
    m->s[0] = t;
@DELAYS_AT_POINT@    return e == 0 ? @N@_continuous(m->s) : e;
}

/* A point of the present curve. */
static int @N@_go_to(@N@_model *m, double t)
{
    const double h = m->to_time - m->from_time;
    const double part = (t - m->from_time) / h;
    int k;
    for (k = 0; k < @N_STATES@; k++) {
        m->s[@STATES@ + k] = @N@_on_curve(part, h, m->from[k], m->to[k]);
    }
    return @N@_evaluate_at(m, t);
}

/* Before a step from the present point. */
static int @N@_begin_step(@N@_model *m)
{
    int k, e = 0;
    if (@CROSSES@) {
        e = @N@_relations(m->s);
        for (k = 0; k < @N_RELATIONS@; k++) {
            m->zero[k] = m->s[@N@_relation[k][3]];
        }
    }
    m->from_time = m->s[0];
    @N@_take_end(m, m->from);
    return e;
}

static int @N@_has_turned(const @N@_model *m, int k)
{
    return !@N@_timed[k] && @N@_relation_holds(k, m->s) != @N@_is_true(m->s[@N@_relation[k][0]]);
}

/* The side before of relation k, which has turned at the present point, and its hysteresis. */
static void @N@_threshold(const @N@_model *m, int k, double *side, double *width)
{
    const double a = fabs(m->s[@N@_relation[k][1]]), b = fabs(m->s[@N@_relation[k][2]]);
    *side = m->s[@N@_relation[k][3]] > 0.0 ? -1.0 : 1.0;
    *width = @HYSTERESIS@ * (a > b ? a : b) + @WIDTH@;
}

/* Where relation k has just turned, as a part of the curve: regula falsi with the Illinois rule. */
static int @N@_crossing(@N@_model *m, int k, double guess, double *found)
{
    const double a = m->from_time, b = m->to_time;
    double low = 0.0, high = 1.0, part = guess, g_low, g_high, side, width;
    int look, last = 0, e = 0, done = 0;
    @N@_threshold(m, k, &side, &width);
    g_low = side * m->zero[k] + width;
    g_high = side * m->s[@N@_relation[k][3]] + width;
    for (look = 0; e == 0 && !done && look < @LOOKS@; look++) {
        e = @N@_go_to(m, a + part * (b - a));
        if (e == 0) {
            e = @N@_relations(m->s);
        }
        if (e == 0) {
            const double g = side * m->s[@N@_relation[k][3]] + width;
            double from, to;
            if (g < 0.0) {
                high = part;
                g_high = g;
                done = fabs(g + 0.5 * width) <= @MET@ * width;
                if (last == 1) {
                    g_low *= 0.5;
                }
                last = 1;
            } else {
                low = part;
                g_low = g;
                if (last == -1) {
                    g_high *= 0.5;
                }
                last = -1;
            }
            /* Half a width behind the hysteresis. */
            from = g_low + 0.5 * width;
            to = g_high + 0.5 * width;
            part = from > 0.0 && to < 0.0 ? (low * to - high * from) / (to - from) : 0.5 * (low + high);
            done = done || !(part > low && part < high);
        }
    }
    *found = high;
    return e;
}

/* The first instant inside of the curve to the grid point; is there one, and which relation turns there, -1 where its time was known? */
static int @N@_first_instant(@N@_model *m, double *at, int *found, int *relation)
{
    const double a = m->from_time, b = m->to_time, next = @N@_next(m);
    const int known = next < b && !@N@_same_point(next, b);
    double least = 0.0, part;
    int k, turned = -1, e = 0;
    *found = known;
    *relation = -1;
    *at = next;
    for (k = 0; @CROSSES@ && k < @N_RELATIONS@; k++) {
        if (@N@_has_turned(m, k)) {
            double side, width, before, behind;
            @N@_threshold(m, k, &side, &width);
            before = side * m->zero[k] + width;
            behind = side * m->s[@N@_relation[k][3]] + width;
            part = before > 0.0 ? (before + 0.5 * width) / (before - behind) : 0.0;
            /* Within its hysteresis at the grid point it turns there. */
            if (behind - 0.5 * width < -width && (turned < 0 || part < least)) {
                least = part;
                turned = k;
            }
        }
    }
    if (turned >= 0 && !(known && next <= a + least * (b - a))) {
        e = @N@_crossing(m, turned, least, &part);
        if (e == 0) {
            const double there = a + part * (b - a);
            if (!(known && next <= there)) {
                *found = !@N@_same_point(there, b);
                *relation = turned;
                *at = there;
            }
        }
    }
    return e;
}

/* The unknowns of the grid point again. */
static void @N@_back_to_grid(@N@_model *m, double t)
{
    int k;
    for (k = 0; k < @N_UNKNOWNS@; k++) {
        m->s[@N@_unknown[k]] = m->at_point[k];
    }
    m->s[0] = t;
}

/* Step number k behind an event at `at`. */
static int @N@_step_off_grid(@N@_model *m, double at, double k)
{
    int e;
    m->s[0] = at + k * @H@;
    e = @N@_advance(m);
    if (e == 0) {
        e = @N@_outputs(m->s);
    }
    m->to_time = m->s[0];
    @N@_take_end(m, m->to);
    return e;
}

/* From behind an event at `at` to the grid point `t`: on the curve of a step, or along the ends of two where something dies away. */
static int @N@_resynchronize(@N@_model *m, double at, double t)
{
    const int dies_away = m->restart > 0;
    int k, e = @N@_begin_step(m);
    if (e == 0) {
        e = @N@_step_off_grid(m, at, 1.0);
    }
    if (e == 0 && dies_away) {
        const double part = (m->to_time - t) / @H@;
        double first[@N_STATES_OR_1@];
        for (k = 0; k < @N_STATES@; k++) {
            first[k] = m->to[k][0];
        }
        e = @N@_step_off_grid(m, at, 2.0);
        for (k = 0; k < @N_STATES@; k++) {
            m->s[@STATES@ + k] = first[k] - part * (m->to[k][0] - first[k]);
        }
        if (e == 0) {
            e = @N@_evaluate_at(m, t);
        }
    } else if (e == 0) {
        e = @N@_go_to(m, t);
    } else {
        /* The step has failed. */
    }
    m->resynchronized = 1;
    return e;
}

/* An event that moves nothing where it is may still leave another mode: then the end of the step as it was taken, at `t`, is no point of that mode. */
static void @N@_look_ahead(@N@_model *m, double t)
{
    const int values = (int)(sizeof m->held / sizeof m->held[0]);
    double *s = m->s;
    int k, e;
    for (k = 0; k < values; k++) {
        m->held[k] = s[k];
    }
    for (k = 0; k < @N_STATES@; k++) {
        s[@STATES@ + k] = m->to[k][0];
    }
    e = @N@_evaluate_at(m, t);
    if (e == 0) {
        e = @N@_outputs(s);
    }
    m->moved = e != 0;
    for (k = 0; k < @N_UNKNOWNS@; k++) {
        m->moved = m->moved || @N@_differs(m->at_point[k], s[@N@_unknown[k]]);
    }
    for (k = 0; k < values; k++) {
        s[k] = m->held[k];
    }
    if (m->moved) {
        @N@_begin_history(m);
    }
}

/* The step to the present grid point has been taken; what happens inside of it. `remembered`: the time up to which delayed signals are. */
static int @N@_within(@N@_model *m, double *remembered)
{
    double *s = m->s;
    const double t = s[0];
    double at = t;
    int k, relation = -1, met, open = 1, e = 0;
    m->resynchronized = 0;
    for (met = 0; e == 0 && open && m->ended == 0 && met < @AT_MOST@; met++) {
        const double next = @N@_next(m);
        open = next < t && !@N@_same_point(next, t);
        if (@CROSSES@) {
            e = @N@_relations(s);
            for (k = 0; k < @N_RELATIONS@; k++) {
                open = open || @N@_has_turned(m, k);
            }
        }
        if (e == 0 && open) {
            e = @N@_outputs(s);
            for (k = 0; k < @N_UNKNOWNS@; k++) {
                m->at_point[k] = s[@N@_unknown[k]];
            }
            m->to_time = t;
            @N@_take_end(m, m->to);
        }
        if (e == 0 && open) {
            /* Without a solution on the curve the grid point is what there is. */
            if (@N@_first_instant(m, &at, &open, &relation) != 0) {
                open = 0;
            }
            @N@_back_to_grid(m, t);
@DELAYS_IN_PLACE@        }
        if (e == 0 && open) {
            e = @N@_go_to(m, at);
            if (e == 0) {
                e = @N@_outputs(s);
            }
@REMEMBER@            if (e == 0) {
                e = @N@_happen(m, relation < 0);
                @NOTICE@
            }
            *remembered = at;
            if (e == 0 && m->ended == 0 && !m->moved) {
                @N@_look_ahead(m, t);
            }
            if (e == 0 && m->ended == 0 && m->moved) {
                e = @N@_resynchronize(m, at, t);
            } else if (e == 0 && m->ended == 0) {
                @N@_back_to_grid(m, t);
@DELAYS_IN_PLACE@            } else {
                /* The run ends here. */
            }
        }
    }
    return e;
}

