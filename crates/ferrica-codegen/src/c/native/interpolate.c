/* The segment that holds u; the nearest one outside. A knot belongs to the segment on its right, to that on its left where the argument falls. */
static int P_find(const double *x, int n, double u, double direction)
{
    const int after = P_count(x + 1, n - 2, u, !(direction < 0.0));
    return after < n - 2 ? after : n - 2;
}

/* u moved by whole periods into the table. */
static double P_wrap(const double *x, int n, double u)
{
    const double a = x[0], b = x[n - 1], period = b - a;
    double w = u;
    if (!(u >= a && u <= b)) {
        w = u - period * floor((u - a) / period);
        w = w < a ? a : w > b ? b : w;
    }
    return w;
}

/* The cubic of a segment of length h, v from its left end: value, first and second derivative. */
static void P_hermite(double h, double y0, double y1, double s0, double s1, double v, double *jet)
{
    const double d = (y1 - y0) / h;
    const double a = (s0 + s1 - 2.0 * d) / (h * h);
    const double b = (3.0 * d - 2.0 * s0 - s1) / h;
    jet[0] = y0 + ((a * v + b) * v + s0) * v;
    jet[1] = (3.0 * a * v + 2.0 * b) * v + s0;
    jet[2] = 6.0 * a * v + 2.0 * b;
}

