/* Delayed signals: straight lines between grid points, and the values after events, as far back as the longest delay. Before the start each signal has
   its first value. A value at a jump is that before it, or that behind it once the event there is over: until a jump has come out of its delay, which is an event
   of its own, no step sees more than what was before. */

static const unsigned @N@_delay[][5] = { @DELAYS@ };
static const unsigned @N@_room_from[] = { @ROOM_FROM@ };
static const double @N@_first[] = { @FIRST@ };

/* A piece of the history of signal k by its age, the oldest first. */
static double *@N@_piece(@N@_model *m, int k, unsigned number)
{
    const unsigned room = @N@_room_from[k + 1] - @N@_room_from[k];
    return m->history[@N@_room_from[k] + (m->oldest[k] + number) % room];
}

static int @N@_remember(@N@_model *m, int k, double begin, double end, double first, double last)
{
    const unsigned room = @N@_room_from[k + 1] - @N@_room_from[k];
    int e = 0;
    if (m->pieces[k] >= room) {
        e = @UPPER@_NO_ROOM;
    } else {
        double *piece = @N@_piece(m, k, m->pieces[k]);
        piece[0] = begin;
        piece[1] = end;
        piece[2] = first;
        piece[3] = last;
        piece[4] = 0.0;
        m->pieces[k] += 1U;
        m->last[k] = last;
    }
    return e;
}

/* The oldest jump of signal k that has not come out yet, as a piece by its age; the number of pieces if there is none. */
static unsigned @N@_held(@N@_model *m, int k)
{
    int found = 0;
    while (!found && m->jump[k] < m->pieces[k]) {
        const double *piece = @N@_piece(m, k, m->jump[k]);
        const double at = piece[0] + m->s[@N@_delay[k][2]];
        found = piece[4] > 0.0 && at > m->let_go && !@N@_same_time(at, m->let_go);
        if (!found) {
            m->jump[k] += 1U;
        }
    }
    return m->jump[k];
}

/* When the first of them is due. */
static double @N@_next_jump(@N@_model *m)
{
    double next = HUGE_VAL;
    int k;
    for (k = 0; k < @N_DELAYS@; k++) {
        const unsigned held = @N@_held(m, k);
        if (held < m->pieces[k]) {
            const double at = @N@_piece(m, k, held)[0] + m->s[@N@_delay[k][2]];
            if (at < next) {
                next = at;
            }
        }
    }
    return next;
}

/* Those that are due come out in the event at hand. */
static void @N@_let_go(@N@_model *m, double t)
{
    const double next = @N@_next_jump(m);
    if (next <= t || @N@_same_time(next, t)) {
        m->right_at = t;
        m->right_at_is_set = 1;
    }
    m->let_go = t;
}

/* Value of signal k at a time of the past. */
static double @N@_past(@N@_model *m, int k, double t, int right)
{
    const double rounding = @SAME_TIME@ * (fabs(t) > fabs(@START@) ? fabs(t) : fabs(@START@));
    const double from = right ? t + rounding : t - rounding;
    unsigned low = 0, high = m->pieces[k];
    const unsigned held = @N@_held(m, k);
    const int before = held < m->pieces[k] && t > @N@_piece(m, k, held)[0] + rounding;
    double value = @N@_first[k];
    if (before && held > 0U) {
        value = @N@_piece(m, k, held - 1U)[3];
    }
    /* Pieces that have begun. */
    while (!before && low < high) {
        const unsigned middle = (low + high) / 2U;
        const double begin = @N@_piece(m, k, middle)[0];
        if (begin < from || (right && begin <= from)) {
            low = middle + 1U;
        } else {
            high = middle;
        }
    }
    if (!before && !(t < @START@ - rounding) && low > 0U) {
        const double *piece = @N@_piece(m, k, low - 1U);
        const double width = piece[1] - piece[0];
        double at = piece[1];
        value = piece[3];
        if (t < piece[1] - rounding) {
            at = t > piece[0] ? t : piece[0];
        } else if (t > piece[1] + rounding && low == m->pieces[k]) {
            /* A delay shorter than the step: the last line goes on, but not further than one step. */
            at = t < piece[1] + width ? t : piece[1] + width;
        }
        if (width > 0.0 && !@N@_equal(at, piece[1])) {
            value = piece[2] + (at - piece[0]) / width * (piece[3] - piece[2]);
        }
    }
    return value;
}

@LINE_TEXT@static void @N@_look_back(@N@_model *m)
{
    double *s = m->s;
    const int right = m->right_at_is_set && @N@_equal(s[0], m->right_at);
    int k;
    for (k = 0; k < @N_DELAYS@; k++) {
        const double delay = s[@N@_delay[k][2]];
        s[@N@_delay[k][0]] = @N@_past(m, k, s[0] - (delay > 0.0 ? delay : 0.0), right);
    }
@READ_LINES@}

/* Delayed values at the present time. */
static int @N@_apply_delays(@N@_model *m)
{
    int e = 0;
    if (!@CONSTANT_DELAYS@) {
        @N@_look_back(m);
        e = @N@_signals(m->s);
    }
    @N@_look_back(m);
    return e;
}

/* Signals at the present grid point, for the step that begins there. */
static int @N@_take_signals(@N@_model *m)
{
    int k, e = @N@_apply_delays(m);
    if (e == 0) {
        e = @N@_signals(m->s);
    }
    for (k = 0; k < @N_DELAYS@; k++) {
        m->signal[k] = m->s[@N@_delay[k][1]];
    }
@TAKE_LINES@    return e;
}

/* The step that has come to its end. */
static int @N@_push_delays(@N@_model *m, double begin)
{
    double before[@N_DELAYS_OR_1@];
    int k, e;
@LINES_BEFORE@    for (k = 0; k < @N_DELAYS@; k++) {
        before[k] = m->signal[k];
    }
    e = @N@_take_signals(m);
    for (k = 0; e == 0 && k < @N_DELAYS@; k++) {
        const double now = m->s[@N@_delay[k][2]], most = m->s[@N@_delay[k][3]];
        while (m->pieces[k] > 2U && @N@_piece(m, k, 1U)[1] < begin - (now > most ? now : most)) {
            const unsigned room = @N@_room_from[k + 1] - @N@_room_from[k];
            m->oldest[k] = (m->oldest[k] + 1U) % room;
            m->pieces[k] -= 1U;
            m->jump[k] -= m->jump[k] > 0U ? 1U : 0U;
        }
        e = @N@_remember(m, k, begin, m->s[0], before[k], m->signal[k]);
    }
@PUSH_LINES@    m->right_at_is_set = 0;
    return e;
}

/* What an event has made of the signals. */
static int @N@_delays_after_event(@N@_model *m)
{
    int k, e = 0;
    m->right_at = m->s[0];
    m->right_at_is_set = 1;
    for (k = 0; e == 0 && k < @N_DELAYS@; k++) {
        const double now = m->s[@N@_delay[k][1]], before = m->last[k];
        if (fabs(now) > m->size[k]) {
            m->size[k] = fabs(now);
        }
        if (!@N@_equal(now, before) || m->pieces[k] == 0U) {
            e = @N@_remember(m, k, m->s[0], m->s[0], now, now);
            if (e == 0 && @N@_delay[k][4] && fabs(now - before) > @LEAST_JUMP@ * (m->size[k] > @LEAST_SIZE@ ? m->size[k] : @LEAST_SIZE@)) {
                @N@_piece(m, k, m->pieces[k] - 1U)[4] = 1.0;
            }
        }
    }
    return e;
}

