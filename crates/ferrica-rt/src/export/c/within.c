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

/* The rate k with (k - 1 + exp(-k))/k^2 = ratio, 0 if there is none. */
static double @N@_rate(double ratio)
{
    double k = 0.0;
    int i;
    if (ratio > 0.0 && ratio < 0.5) {
        k = 6.0 * (0.5 - ratio);
        if (ratio < 0.25) {
            k = fmax(k, (1.0 + sqrt(1.0 - 4.0 * ratio)) / (2.0 * ratio));
        }
        for (i = 0; i < @RATE_ITERATIONS@; i++) {
            const double e = exp(-k);
            const double value = (k - 1.0 + e) / (k * k);
            const double slope = (1.0 - e) / (k * k) - 2.0 * value / k;
            k -= (value - ratio) / slope;
        }
        if (!(k > 0.0 && k < HUGE_VAL)) {
            k = 0.0;
        }
    }
    return k;
}

/* The end of the curve is the present point. */
static void @N@_end_curve(@N@_model *m, double t)
{
    double largest = 0.0;
    int k;
    m->to_time = t;
    @N@_take_end(m, m->to);
    m->layer = 0.0;
    for (k = 0; m->bent && k < @N_STATES@; k++) {
        const double h = m->to_time - m->from_time;
        const double first = h * m->from[k][1], bend = h * h * m->bend[k];
        const double left = m->to[k][0] - m->from[k][0] - first;
        const double rate = @N@_rate(left / bend);
        const double by = fabs(bend) / fmax(@SIZE_OF_STATE@, fabs(m->to[k][0]));
        m->dying[k][0] = rate;
        if (rate > 0.0) {
            m->dying[k][2] = left / (rate - 1.0 + exp(-rate));
            m->dying[k][1] = first + rate * m->dying[k][2];
            if (by > largest) {
                largest = by;
                m->layer = rate;
            }
        }
    }
}

/* A part of the present curve. */
static int @N@_go_to(@N@_model *m, double part)
{
    const double h = m->to_time - m->from_time;
    int k;
    for (k = 0; k < @N_STATES@; k++) {
        double *x = &m->s[@STATES@ + k];
        if (m->bent && m->dying[k][0] > 0.0) {
            *x = m->from[k][0] + part * m->dying[k][1] + m->dying[k][2] * expm1(-m->dying[k][0] * part);
        } else {
            *x = @N@_on_curve(part, h, m->from[k], m->to[k]);
        }
    }
    return @N@_evaluate_at(m, m->from_time + part * h);
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
    m->bent = m->dies_away;
    m->dies_away = 0;
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

/* The part of the curve at a part of the way along which a crossing is looked for. */
static double @N@_part(const @N@_model *m, int layer, double dead, double first, double part)
{
    return layer ? -log1p(part * expm1(-m->layer * dead)) / m->layer : first + part * (1.0 - first);
}

/* Where a straight line is half a width behind a hysteresis that ends at 0, as a part of it. */
static double @N@_between(double before, double behind, double width)
{
    return before > 0.0 ? fmin((before + 0.5 * width) / (before - behind), 1.0) : 0.0;
}

/* Where relation k has just turned, as a part of the curve: regula falsi with the Illinois rule, evenly between two parts of the curve or as what dies away falls. */
static int @N@_crossing(@N@_model *m, int k, double *found)
{
    const double dead = fmin(@DEAD@ / m->layer, 1.0);
    double low = 0.0, high = 1.0, first = 0.0, part, g_low, g_high, side, width;
    int look, last = 0, e = 0, done = 0, layer = m->layer > 0.0;
    @N@_threshold(m, k, &side, &width);
    g_low = side * m->zero[k] + width;
    g_high = side * m->s[@N@_relation[k][3]] + width;
    if (layer && dead < 1.0) {
        e = @N@_go_to(m, dead);
        if (e == 0) {
            e = @N@_relations(m->s);
        }
        if (e == 0) {
            const double g = side * m->s[@N@_relation[k][3]] + width;
            if (g < 0.0) {
                g_high = g;
            } else {
                g_low = g;
                layer = 0;
                first = dead;
            }
        }
    }
    part = @N@_between(g_low, g_high, width);
    for (look = 0; e == 0 && !done && look < @LOOKS@; look++) {
        e = @N@_go_to(m, @N@_part(m, layer, dead, first, part));
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
    *found = @N@_part(m, layer, dead, first, high);
    return e;
}

/* The first instant inside of the curve to the grid point: is there one, which part of the curve lies before, and which relation turns there, -1 where its time was known? */
static int @N@_first_instant(@N@_model *m, double *at, double *place, int *found, int *relation)
{
    const double a = m->from_time, b = m->to_time, next = @N@_next(m);
    const double due = (next - a) / (b - a);
    const int known = next < b && !@N@_same_point(next, b);
    double least = 0.0, part;
    int k, turned = -1, e = 0;
    *found = known;
    *relation = -1;
    *at = next;
    *place = due;
    for (k = 0; @CROSSES@ && k < @N_RELATIONS@; k++) {
        if (@N@_has_turned(m, k)) {
            double side, width, before, behind;
            @N@_threshold(m, k, &side, &width);
            before = side * m->zero[k] + width;
            behind = side * m->s[@N@_relation[k][3]] + width;
            part = @N@_between(before, behind, width);
            /* Within its hysteresis at the grid point it turns there. */
            if (behind - 0.5 * width < -width && (turned < 0 || part < least)) {
                least = part;
                turned = k;
            }
        }
    }
    if (turned >= 0 && !(known && m->layer <= 0.0 && due <= least)) {
        e = @N@_crossing(m, turned, &part);
        if (e == 0) {
            const double there = a + part * (b - a);
            if (!(known && due <= part)) {
                *found = !@N@_same_point(there, b);
                *relation = turned;
                *at = there;
                *place = part;
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
    @N@_end_curve(m, m->s[0]);
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
        e = @N@_go_to(m, (t - m->from_time) / (m->to_time - m->from_time));
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
    double at = t, place = 1.0;
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
            @N@_end_curve(m, t);
        }
        if (e == 0 && open) {
            /* Without a solution on the curve the grid point is what there is. */
            if (@N@_first_instant(m, &at, &place, &open, &relation) != 0) {
                open = 0;
            }
            @N@_back_to_grid(m, t);
@DELAYS_IN_PLACE@        }
        if (e == 0 && open) {
            e = @N@_go_to(m, place);
            s[0] = at;
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

