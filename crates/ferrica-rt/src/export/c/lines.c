/* Contents that move along a line (spatialDistribution): in the coordinate of the contents, place minus position, they stand still, and the line is a window that
   glides over them. A step puts a piece in at the one end and drops what has left at the other; short neighbours are made one. Of a piece: coordinate and value over
   the step's own time from 0 to 4, as quartics where they are smooth and as straight lines where not. */

enum { @UPPER@_LINES = @N_LINES@, @UPPER@_PIECES = @N_PIECES@, @UPPER@_JUMPS = @N_JUMPS@ };

/* Of each line: results at both ends, what would go in there, position. */
static const unsigned @N@_line_slots[][5] = { @LINES@ };
/* Places and values at the start, of line k from the number k of the first list on. */
static const unsigned @N@_contents_from[] = { @CONTENTS_FROM@ };
static const double @N@_contents[][2] = { @CONTENTS@ };

static void @N@_curve_of(@N@_curve *c, const double *values)
{
    double d[5], low = values[0], high = values[0], rough;
    int k, level;
    for (k = 0; k < 5; k++) {
        d[k] = values[k];
        low = fmin(low, values[k]);
        high = fmax(high, values[k]);
    }
    for (level = 1; level < 5; level++) {
        for (k = 4; k >= level; k--) {
            d[k] -= d[k - 1];
        }
    }
    rough = fabs(d[4]);
    c->smooth = rough <= 1e-2 * fabs(values[4] - values[0]) || rough <= 1e-2 * (high - low);
    if (c->smooth) {
        const double b = d[2] / 2.0, e = d[3] / 6.0, f = d[4] / 24.0;
        c->number[0] = d[0];
        c->number[1] = d[1] - b + 2.0 * e - 6.0 * f;
        c->number[2] = b - 3.0 * e + 11.0 * f;
        c->number[3] = e - 6.0 * f;
        c->number[4] = f;
    } else {
        for (k = 0; k < 5; k++) {
            c->number[k] = values[k];
        }
    }
}

static double @N@_curve_at(const @N@_curve *c, double s)
{
    const double *d = c->number;
    double value;
    if (c->smooth) {
        const double square = s * s;
        value = (d[0] + d[1] * s) + square * ((d[2] + d[3] * s) + square * d[4]);
    } else {
        const int whole = s > 0.0 ? (int)s : 0, k = whole < 3 ? whole : 3;
        value = d[k] + (s - (double)k) * (d[k + 1] - d[k]);
    }
    return value;
}

static @N@_contents_piece @N@_piece_of(const double *coordinates, const double *values)
{
    @N@_contents_piece p;
    p.low = fmin(coordinates[0], coordinates[4]);
    p.high = fmax(coordinates[0], coordinates[4]);
    @N@_curve_of(&p.coordinate, coordinates);
    @N@_curve_of(&p.value, values);
    return p;
}

/* The value of a piece at a coordinate: regula falsi with halvings, exact at once where the flow is steady. */
static double @N@_piece_at(const @N@_contents_piece *p, double coordinate)
{
    double a = 0.0, b = 4.0, at;
    double fa = @N@_curve_at(&p->coordinate, a) - coordinate, fb = @N@_curve_at(&p->coordinate, b) - coordinate;
    int k, found = 0;
    if (fa * fb > 0.0) {
        at = fabs(fa) < fabs(fb) ? a : b;
        found = 1;
    }
    for (k = 0; !found && k < 60; k++) {
        const double middle = k % 3 == 2 || @N@_equal(fa, fb) ? 0.5 * (a + b) : a - fa * (b - a) / (fb - fa);
        const double f = @N@_curve_at(&p->coordinate, middle) - coordinate;
        if (fabs(f) <= 2.220446049250313e-16 * fmax(fabs(coordinate), p->high - p->low) || a >= b) {
            at = middle;
            found = 1;
        } else if (f * fa > 0.0) {
            a = middle;
            fa = f;
        } else {
            b = middle;
            fb = f;
        }
    }
    if (!found) {
        at = 0.5 * (a + b);
    }
    return @N@_curve_at(&p->value, at);
}

static @N@_contents_piece *@N@_chunk(@N@_line *l, unsigned k)
{
    return &l->piece[(l->first + k) % @UPPER@_PIECES];
}

static double *@N@_jump(@N@_line *l, unsigned k)
{
    return &l->jump[(l->first_jump + k) % @UPPER@_JUMPS];
}

static void @N@_drop_jumps(@N@_line *l, double low, double high)
{
    while (l->jumps > 0U && *@N@_jump(l, 0U) <= low) {
        l->first_jump = (l->first_jump + 1U) % @UPPER@_JUMPS;
        l->jumps -= 1U;
    }
    while (l->jumps > 0U && *@N@_jump(l, l->jumps - 1U) >= high) {
        l->jumps -= 1U;
    }
}

/* What is outside of the window has left. */
static void @N@_cut(@N@_line *l, double low, double high)
{
    while (l->pieces > 1U && @N@_chunk(l, 0U)->high <= low) {
        l->first = (l->first + 1U) % @UPPER@_PIECES;
        l->pieces -= 1U;
    }
    while (l->pieces > 1U && @N@_chunk(l, l->pieces - 1U)->low >= high) {
        l->pieces -= 1U;
    }
    if (l->pieces > 0U) {
        @N@_contents_piece *p = @N@_chunk(l, 0U);
        p->low = fmin(fmax(p->low, low), p->high);
        p = @N@_chunk(l, l->pieces - 1U);
        p->high = fmax(fmin(p->high, high), p->low);
    }
    @N@_drop_jumps(l, low, high);
}

/* Contents at an end. A jump comes out once it has left: until then the side before it. */
static double @N@_line_end(@N@_line *l, int end, double x)
{
    double c = end == 0 ? -x : 1.0 - x;
    const double lowest = @N@_chunk(l, 0U)->low, highest = fmax(@N@_chunk(l, l->pieces - 1U)->high, lowest);
    unsigned low = 0U, high = l->pieces;
    if (l->jumps > 0U) {
        c = end == 0 ? fmin(c, *@N@_jump(l, 0U)) : fmax(c, *@N@_jump(l, l->jumps - 1U));
    }
    c = c < lowest ? lowest : c > highest ? highest : c;
    while (low < high) {
        const unsigned middle = (low + high) / 2U;
        const double border = @N@_chunk(l, middle)->high;
        if (border < c || (end != 0 && border <= c)) {
            low = middle + 1U;
        } else {
            high = middle;
        }
    }
    return @N@_piece_at(@N@_chunk(l, low < l->pieces ? low : l->pieces - 1U), c);
}

static void @N@_read_lines(@N@_model *m)
{
    int k, end;
    for (k = 0; k < @UPPER@_LINES; k++) {
        const double x = m->s[@N@_line_slots[k][4]];
        for (end = 0; end < 2; end++) {
            m->s[@N@_line_slots[k][end]] = @N@_line_end(&m->line[k], end, x);
        }
    }
}

/* One piece in place of two neighbours. */
static @N@_contents_piece @N@_join(const @N@_contents_piece *left, const @N@_contents_piece *right)
{
    double coordinates[5], values[5];
    int k;
    for (k = 0; k < 5; k++) {
        coordinates[k] = left->low + (double)k / 4.0 * (right->high - left->low);
        values[k] = @N@_piece_at(coordinates[k] < left->high ? left : right, coordinates[k]);
    }
    return @N@_piece_of(coordinates, values);
}

static int @N@_attach(@N@_line *l, const @N@_contents_piece *piece, int forward, int jumps)
{
    @N@_contents_piece *n = @N@_chunk(l, forward ? 0U : l->pieces - 1U);
    int e = 0;
    if (!jumps && n->high - n->low + piece->high - piece->low < 1.0 / 4000.0) {
        *n = forward ? @N@_join(piece, n) : @N@_join(n, piece);
    } else if (l->pieces >= @UPPER@_PIECES) {
        e = @UPPER@_NO_ROOM;
    } else {
        if (forward) {
            l->first = (l->first + @UPPER@_PIECES - 1U) % @UPPER@_PIECES;
        }
        l->pieces += 1U;
        *@N@_chunk(l, forward ? 0U : l->pieces - 1U) = *piece;
    }
    return e;
}

/* Contents that go in while the position changes in one direction. */
static int @N@_put_in(@N@_line *l, const double *in0, const double *in1, const double *x)
{
    const int forward = x[4] > x[0];
    const double *values = forward ? in0 : in1;
    double c[5], border;
    int k, e = 0;
    if (forward) {
        @N@_cut(l, -x[0], HUGE_VAL);
        border = @N@_chunk(l, 0U)->low;
    } else {
        @N@_cut(l, -HUGE_VAL, 1.0 - x[0]);
        border = @N@_chunk(l, l->pieces - 1U)->high;
    }
    for (k = 0; k < 5; k++) {
        c[k] = forward ? -x[k] : 1.0 - x[k];
    }
    c[0] = border;
    if ((forward && c[4] < border) || (!forward && c[4] > border)) {
        const double before = @N@_piece_at(@N@_chunk(l, forward ? 0U : l->pieces - 1U), border);
        const @N@_contents_piece piece = @N@_piece_of(c, values);
        int jumps;
        for (k = 0; k < 5; k++) {
            l->size = fmax(l->size, fabs(values[k]));
        }
        jumps = fabs(values[0] - before) > @JUMP_TOLERANCE@ * fmax(l->size, 1e-6);
        if (jumps && l->jumps >= @UPPER@_JUMPS) {
            e = @UPPER@_NO_ROOM;
        } else if (jumps) {
            if (forward) {
                l->first_jump = (l->first_jump + @UPPER@_JUMPS - 1U) % @UPPER@_JUMPS;
            }
            l->jumps += 1U;
            *@N@_jump(l, forward ? 0U : l->jumps - 1U) = border;
        } else {
            /* It goes on without a jump. */
        }
        if (e == 0) {
            e = @N@_attach(l, &piece, forward, jumps);
        }
    }
    return e;
}

/* A step: what goes in is a straight line over it. */
static int @N@_push_line(@N@_line *l, const double *before, const double *now)
{
    double part[3][5];
    int j, k;
    @N@_cut(l, -before[2], 1.0 - before[2]);
    for (j = 0; j < 3; j++) {
        for (k = 0; k < 5; k++) {
            part[j][k] = before[j] + (double)k / 4.0 * (now[j] - before[j]);
        }
    }
    return @N@_put_in(l, part[0], part[1], part[2]);
}

static void @N@_line_signals(const @N@_model *m, int k, double *signals)
{
    int j;
    for (j = 0; j < 3; j++) {
        signals[j] = m->s[@N@_line_slots[k][2 + j]];
    }
}

static void @N@_begin_lines(@N@_model *m)
{
    int k, j;
    unsigned at;
    for (k = 0; k < @UPPER@_LINES; k++) {
        @N@_line *l = &m->line[k];
        const double x = m->s[@N@_line_slots[k][4]];
        l->first = 0U;
        l->pieces = 0U;
        l->first_jump = 0U;
        l->jumps = 0U;
        l->size = 0.0;
        for (at = @N@_contents_from[k]; at < @N@_contents_from[k + 1]; at++) {
            l->size = fmax(l->size, fabs(@N@_contents[at][1]));
        }
        for (at = @N@_contents_from[k]; at + 1U < @N@_contents_from[k + 1]; at++) {
            const double a = @N@_contents[at][0] - x, b = @N@_contents[at + 1U][0] - x;
            const double v = @N@_contents[at][1], w = @N@_contents[at + 1U][1];
            if (b > a) {
                double coordinates[5], values[5];
                for (j = 0; j < 5; j++) {
                    coordinates[j] = a + (double)j / 4.0 * (b - a);
                    values[j] = v + (double)j / 4.0 * (w - v);
                }
                l->pieces += 1U;
                *@N@_chunk(l, l->pieces - 1U) = @N@_piece_of(coordinates, values);
            } else if (!@N@_equal(v, w)) {
                l->jumps += 1U;
                *@N@_jump(l, l->jumps - 1U) = a;
            } else {
                /* The same point twice. */
            }
        }
        @N@_drop_jumps(l, -x, 1.0 - x);
        @N@_line_signals(m, k, m->line_signal[k]);
    }
}

