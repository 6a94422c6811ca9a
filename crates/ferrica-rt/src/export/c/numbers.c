/* The same number: nothing is nearer. */
static int @N@_equal(double a, double b)
{
    return a <= b && a >= b;
}

static int @N@_is_true(double a)
{
    return fabs(a) > 0.0;
}

static int @N@_same_time(double a, double b)
{
    const double size = fabs(a) > fabs(b) ? fabs(a) : fabs(b);
    return @N@_equal(a, b) || (size < HUGE_VAL && fabs(a - b) <= 1.7763568394002505e-15 * size);
}

