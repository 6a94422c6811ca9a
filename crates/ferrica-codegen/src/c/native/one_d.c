/* A column of a table over one argument. */
static int P_table_1d(double object, double number, double argument, double *jet)
{
    const P_table *t = P_table_of(object, 1);
    const int column = t != 0 && number >= 1.0 && number <= t->columns ? (int)number - 1 : -1;
    int e = 0;
    if (t == 0) {
        e = P_TABLE_OBJECT;
    } else if (column < 0) {
        e = P_TABLE_COLUMN;
    } else if (t->n == 1) {
        P_level(t, column, 0, jet);
    } else {
        const double a = t->x[0], b = t->x[t->n - 1];
        const double u = t->extrapolation == 3 ? P_wrap(t->x, t->n, argument) : argument;
        if (t->extrapolation == 3 || (u >= a && u <= b)) {
            if (t->constant && u >= b) {
                P_level(t, column, t->n - 1, jet);
            } else {
                P_inside(t, column, P_find(t->x, t->n, u, 0.0), u, jet);
            }
        } else if (t->extrapolation == 1) {
            P_level(t, column, u < a ? 0 : t->n - 1, jet);
        } else if (t->extrapolation == 2) {
            P_beyond(t, column, u, jet);
        } else {
            e = P_TABLE_OUTSIDE;
        }
    }
    return e;
}

