/* Value, slopes along both arguments, second derivatives 11, 12, 22. */
typedef struct {
    double y, d1, d2, d11, d12, d22;
} P_jet2;

/* A point on one axis: its segment, its place in the table, how far the argument is beyond. */
typedef struct {
    int i;
    double u, rest;
} P_axis;

static int P_axis_at(const P_table *t, const double *x, int n, double u, double direction, P_axis *axis)
{
    int e = 0;
    axis->i = 0;
    axis->u = x[0];
    axis->rest = 0.0;
    if (n > 1) {
        const double a = x[0], b = x[n - 1];
        if (t->extrapolation == 3) {
            axis->u = P_wrap(x, n, u);
        } else if (isnan(u) || (t->extrapolation == 4 && (u < a || u > b))) {
            e = P_TABLE_OUTSIDE;
        } else {
            axis->u = u < a ? a : u > b ? b : u;
            axis->rest = u - axis->u;
        }
        axis->i = P_find(x, n, axis->u, fabs(axis->rest) > 0.0 ? 0.0 : direction);
    }
    return e;
}

/* Along the second argument in row i. */
static void P_along(const P_table *t, int i, const double *values, const double *slopes, const P_axis *b, double *jet)
{
    const int k = i * t->n2 + b->i;
    if (t->n2 == 1) {
        jet[0] = values[i];
        jet[1] = 0.0;
        jet[2] = 0.0;
    } else {
        const double h = t->x2[b->i + 1] - t->x2[b->i], v = b->u - t->x2[b->i];
        if (slopes != 0) {
            P_hermite(h, values[k], values[k + 1], slopes[k], slopes[k + 1], v, jet);
        } else {
            const double slope = (values[k + 1] - values[k]) / h;
            jet[0] = values[k] + slope * v;
            jet[1] = slope;
            jet[2] = 0.0;
        }
    }
}

/* The polynomial of the cell at a point of the table. */
static P_jet2 P_cell(const P_table *t, const P_axis *a, const P_axis *b)
{
    P_jet2 jet = { 0.0, 0.0, 0.0, 0.0, 0.0, 0.0 };
    double y0[3], y1[3];
    P_along(t, a->i, t->y, t->slope2, b, y0);
    if (t->n == 1) {
        jet.y = y0[0];
        jet.d2 = y0[1];
        jet.d22 = y0[2];
    } else {
        const double h = t->x[a->i + 1] - t->x[a->i], v = a->u - t->x[a->i];
        P_along(t, a->i + 1, t->y, t->slope2, b, y1);
        if (t->slope2 != 0) {
            double s0[3], s1[3], p[3][3];
            int m;
            P_along(t, a->i, t->slope, t->twist, b, s0);
            P_along(t, a->i + 1, t->slope, t->twist, b, s1);
            for (m = 0; m < 3; m++) {
                P_hermite(h, y0[m], y1[m], s0[m], s1[m], v, p[m]);
            }
            jet.y = p[0][0];
            jet.d1 = p[0][1];
            jet.d11 = p[0][2];
            jet.d2 = p[1][0];
            jet.d12 = p[1][1];
            jet.d22 = p[2][0];
        } else {
            const double w = v / h;
            jet.y = y0[0] + w * (y1[0] - y0[0]);
            jet.d1 = (y1[0] - y0[0]) / h;
            jet.d2 = y0[1] + w * (y1[1] - y0[1]);
            jet.d12 = (y1[1] - y0[1]) / h;
        }
    }
    return jet;
}

/* A mixed derivative of third order: a central difference of the cell's own polynomial, exact for a quadratic. */
static double P_third(const P_table *t, const P_axis *a, const P_axis *b, int along)
{
    double d = 0.0;
    if (t->slope2 != 0 && t->n > 1 && t->n2 > 1) {
        const double h = 0.5 * (along == 1 ? t->x[a->i + 1] - t->x[a->i] : t->x2[b->i + 1] - t->x2[b->i]);
        P_axis a0 = *a, a1 = *a, b0 = *b, b1 = *b;
        if (along == 1) {
            a1.u += h;
            a0.u -= h;
        } else {
            b1.u += h;
            b0.u -= h;
        }
        d = (P_cell(t, &a1, &b1).d12 - P_cell(t, &a0, &b0).d12) / (2.0 * h);
    }
    return d;
}

/* From the nearest point of the table along the slopes there. */
static P_jet2 P_extend(const P_table *t, P_jet2 at, const P_axis *a, const P_axis *b)
{
    P_jet2 jet = at;
    jet.y = at.y + at.d1 * a->rest + at.d2 * b->rest + at.d12 * a->rest * b->rest;
    jet.d1 = at.d1 + at.d12 * b->rest;
    jet.d2 = at.d2 + at.d12 * a->rest;
    jet.d11 = 0.0;
    jet.d22 = 0.0;
    if (!(fabs(a->rest) > 0.0)) {
        jet.d11 = at.d11 + P_third(t, a, b, 1) * b->rest;
    } else if (!(fabs(b->rest) > 0.0)) {
        jet.d22 = at.d22 + P_third(t, a, b, 2) * a->rest;
    } else {
        /* A corner: the surface is bilinear there. */
    }
    return jet;
}

static int P_step_of(const double *x, int n, const P_axis *a)
{
    return n > 1 && a->u >= x[a->i + 1] ? a->i + 1 : a->i;
}

/* A table over two arguments; v1 and v2 say how they move, to choose a side on a line of the grid. */
static int P_table_2d(double object, double u1, double u2, double v1, double v2, P_jet2 *jet)
{
    const P_table *t = P_table_of(object, 2);
    P_axis a, b;
    int e = t != 0 ? 0 : P_TABLE_OBJECT;
    if (e == 0) {
        e = P_axis_at(t, t->x, t->n, u1, v1, &a);
    }
    if (e == 0) {
        e = P_axis_at(t, t->x2, t->n2, u2, v2, &b);
    }
    if (e == 0) {
        const int beyond1 = fabs(a.rest) > 0.0, beyond2 = fabs(b.rest) > 0.0;
        if (t->constant && !((beyond1 || beyond2) && t->extrapolation == 2)) {
            const P_jet2 level = { 0.0, 0.0, 0.0, 0.0, 0.0, 0.0 };
            *jet = level;
            jet->y = t->y[P_step_of(t->x, t->n, &a) * t->n2 + P_step_of(t->x2, t->n2, &b)];
        } else {
            *jet = P_cell(t, &a, &b);
            if (t->extrapolation == 1) {
                if (beyond1) {
                    jet->d1 = 0.0;
                    jet->d11 = 0.0;
                    jet->d12 = 0.0;
                }
                if (beyond2) {
                    jet->d2 = 0.0;
                    jet->d22 = 0.0;
                    jet->d12 = 0.0;
                }
            } else if (beyond1 || beyond2) {
                *jet = P_extend(t, *jet, &a, &b);
            } else {
                /* Inside. */
            }
        }
    }
    return e;
}

