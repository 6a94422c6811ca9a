/* Comparisons at events. */
/* The same number: nothing is nearer. */
static int P_equal(double a, double b)
{
    return a <= b && a >= b;
}

static int P_is_true(double a)
{
    return fabs(a) > 0.0;
}

static int P_same_time(double a, double b)
{
    const double size = fabs(a) > fabs(b) ? fabs(a) : fabs(b);
    return P_equal(a, b) || (size < HUGE_VAL && fabs(a - b) <= @SAME_TIME@ * size);
}

/* Does a relation hold? `[` and `]` are <= and >=. */
static int P_holds(char relation, double a, double b)
{
    int holds;
    switch (relation) {
    case '<':
        holds = a < b;
        break;
    case '[':
        holds = a <= b;
        break;
    case '>':
        holds = a > b;
        break;
    case ']':
        holds = a >= b;
        break;
    case '=':
        holds = P_equal(a, b);
        break;
    default:
        holds = !P_equal(a, b);
        break;
    }
    return holds;
}

