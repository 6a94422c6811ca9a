static int P_nearly_equal(double a, double b)
{
    return fabs(a - b) < @EPSILON@ * fmax(fmax(fabs(a), fabs(b)), @EPSILON@);
}

/* A column on segment i: value, first and second derivative. */
static void P_segment(const P_table *t, int column, int i, double u, double *jet)
{
    const double *x = t->x, *y = t->y + column * t->n;
    const double h = x[i + 1] - x[i], v = u - x[i];
    if (P_nearly_equal(x[i], x[i + 1])) {
        /* A jump: the value after it. */
        jet[0] = y[i + 1];
        jet[1] = 0.0;
        jet[2] = 0.0;
    } else if (t->slope != 0) {
        const double *s = t->slope + column * t->n;
        P_hermite(h, y[i], y[i + 1], s[i], s[i + 1], v, jet);
    } else {
        const double slope = (y[i + 1] - y[i]) / h;
        jet[0] = y[i] + slope * v;
        jet[1] = slope;
        jet[2] = 0.0;
    }
}

static void P_level(const P_table *t, int column, int row, double *jet)
{
    jet[0] = t->y[column * t->n + row];
    jet[1] = 0.0;
    jet[2] = 0.0;
}

static void P_inside(const P_table *t, int column, int i, double u, double *jet)
{
    if (t->constant) {
        P_level(t, column, i, jet);
    } else {
        P_segment(t, column, i, u, jet);
    }
}

/* Along the slope at the first or the last point. */
static void P_beyond(const P_table *t, int column, double u, double *jet)
{
    const int last = t->n - 1;
    const int i = u < t->x[0] ? 0 : last - 1, knot = u < t->x[0] ? 0 : last;
    double slope;
    P_segment(t, column, i, t->x[knot], jet);
    slope = jet[1];
    jet[0] = t->y[column * t->n + knot] + slope * (u - t->x[knot]);
    jet[1] = slope;
    jet[2] = 0.0;
}

