/* Where in a table over time a value is taken: rows `first` to `last`, or outside of it (first < 0), at the time `t`. */
typedef struct {
    int first, last;
    double t;
} P_place;

static P_place P_whole(const P_table *t, double time)
{
    const P_place outside = { -1, -1, time };
    P_place place = { 0, 0, time };
    place.last = t->n - 1;
    if (t->extrapolation == 3) {
        place.t = P_wrap(t->x, t->n, time);
    }
    return t->extrapolation != 3 && (time < t->x[0] || time >= t->x[t->n - 1]) ? outside : place;
}

/* The interval that counts ends at the event `next`; while the event is settled (`next` has moved on from `pre`) it begins here. */
static P_place P_place_of(const P_table *t, double time, double next, double pre)
{
    const double a = t->x[0], period = t->x[t->n - 1] - a;
    P_place place = { -1, -1, time };
    if (next >= @NEVER@ || next < pre) {
        place = P_whole(t, time);
    } else {
        double end = next - t->shift, moved = 0.0;
        if (t->extrapolation == 3) {
            moved = (ceil((end - a) / period - 1e-9) - 1.0) * period;
        }
        if (t->extrapolation != 3 && (end <= a || P_nearly_equal(end, a))) {
            /* Before the table. */
            place.t = fmin(time, nextafter(a, -HUGE_VAL));
        } else {
            int after, i, j;
            end -= moved;
            after = P_count(t->event, t->events, end, 0);
            i = after > 0 ? after - 1 : 0;
            j = after < t->events ? after : t->events - 1;
            i = fabs(t->event[i] - end) <= fabs(t->event[j] - end) ? i : j;
            if (i == 0 || fabs(t->event[i] - end) > 1e-6 * period / (t->n - 1)) {
                /* `next` is no event of the table. */
                place = P_whole(t, time);
            } else {
                double low, high;
                place.first = t->rows[2 * (i - 1) + 1];
                place.last = t->rows[2 * i];
                low = t->x[place.first];
                high = fmax(t->x[place.last], low);
                place.t = time - moved;
                place.t = place.t < low ? low : place.t > high ? high : place.t;
            }
        }
    }
    return place;
}

/* A column of a table over time. */
static int P_table_time(double object, double number, double time, double next, double pre, double *jet)
{
    const P_table *t = P_table_of(object, 0);
    const int column = t != 0 && number >= 1.0 && number <= t->columns ? (int)number - 1 : -1;
    int e = 0;
    if (t == 0) {
        e = P_TABLE_OBJECT;
    } else if (column < 0) {
        e = P_TABLE_COLUMN;
    } else if (time < t->start || (next < @NEVER@ && next <= pre && next >= pre && t->start >= next)) {
        jet[0] = 0.0;
        jet[1] = 0.0;
        jet[2] = 0.0;
    } else if (t->n == 1) {
        P_level(t, column, 0, jet);
    } else {
        const P_place p = P_place_of(t, time - t->shift, next, pre);
        if (p.first >= 0) {
            int i = p.first < t->n - 2 ? p.first : t->n - 2;
            if (p.last > p.first) {
                i = p.first + P_find(t->x + p.first, p.last - p.first + 1, p.t, 0.0);
            }
            P_inside(t, column, i, p.t, jet);
        } else if (t->extrapolation == 2) {
            P_beyond(t, column, p.t, jet);
        } else if (t->extrapolation == 4 && (p.t < t->x[0] || p.t > t->x[t->n - 1])) {
            e = P_TABLE_OUTSIDE;
        } else {
            P_level(t, column, p.t < t->x[0] ? 0 : t->n - 1, jet);
        }
    }
    return e;
}

