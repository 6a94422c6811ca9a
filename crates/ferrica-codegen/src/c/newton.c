/* Nonlinear systems F(x) = 0 on the slots: Newton's method from the present values, damped so that the weighted residual falls; one equation in
   one unknown is bracketed; then limited exponentials, Levenberg-Marquardt steps, a beginning beside zero, the start values. Methods, order
   and constants are those of the program that wrote this file. */
typedef struct {
    int n;                      /* unknowns */
    int nnz;                    /* entries of the matrix */
    const P_index *unknowns;
    const P_index *places;      /* row * n + column of each entry */
    const double *nominal;
    const double *start;
    unsigned rhs;               /* first slots of residuals and matrix */
    unsigned matrix;
    int (*residuals)(double *s);
    int (*jacobian)(double *s);
    int count;                  /* exponentials that are limited, their tangents and arguments */
    unsigned tangents;
    unsigned arguments;
    int (*moving)(double *s);
    int (*slopes)(double *s);
    int inner_count;            /* what assignments of the loop compute, and below which size each is compared with that */
    const P_index *inner;
    const double *least;
    int checked;                /* a chain of assignments may make much of little */
} P_system;

static void P_take(const P_system *f, const double *s, double *x)
{
    int i;
    for (i = 0; i < f->n; i++) {
        x[i] = s[f->unknowns[i]];
    }
}

static void P_put(const P_system *f, double *s, const double *x)
{
    int i;
    for (i = 0; i < f->n; i++) {
        s[f->unknowns[i]] = x[i];
    }
}

/* Residuals at the present unknowns; 0 where they cannot be evaluated. */
static int P_evaluated(const P_system *f, double *s)
{
    int i, fine = f->residuals(s) == 0;
    for (i = 0; fine && i < f->n; i++) {
        fine = isfinite(s[f->rhs + (unsigned)i]) != 0;
    }
    return fine;
}

static void P_scale(const P_system *f, const double *x, double least, double *scale)
{
    int i;
    for (i = 0; i < f->n; i++) {
        scale[i] = fmax(fabs(x[i]), least * f->nominal[i]);
    }
}

/* Weights 1/sum|J_ij|*scale_j of the residuals; 1 if all residuals are rounding errors of the unknowns x. */
static int P_weigh(const P_system *f, const double *s, const double *x, const double *scale, double *w)
{
    double rounding[P_MOST] = { 0.0 };
    int i, k, zero = 1;
    for (i = 0; i < f->n; i++) {
        w[i] = 0.0;
    }
    for (k = 0; k < f->nnz; k++) {
        const double j = fabs(s[f->matrix + (unsigned)k]);
        if (isfinite(j)) {
            w[(int)f->places[k] / f->n] += j * scale[(int)f->places[k] % f->n];
            rounding[(int)f->places[k] / f->n] += j * fabs(x[(int)f->places[k] % f->n]);
        }
    }
    for (i = 0; i < f->n; i++) {
        zero = zero && fabs(s[f->rhs + (unsigned)i]) <= P_ROUNDING * rounding[i];
        w[i] = w[i] > 0.0 ? 1.0 / w[i] : 1.0;
    }
    return zero;
}

static double P_weighted(const P_system *f, const double *s, const double *w)
{
    double largest = 0.0;
    int i;
    for (i = 0; i < f->n; i++) {
        largest = fmax(largest, fabs(w[i] * s[f->rhs + (unsigned)i]));
    }
    return largest;
}

static double P_largest_residual(const P_system *f, const double *s)
{
    double largest = 0.0;
    int i;
    for (i = 0; i < f->n; i++) {
        largest = fmax(largest, fabs(s[f->rhs + (unsigned)i]));
    }
    return largest;
}

/* The Newton correction with the present matrix and residuals; 0 where there is none. */
static int P_correction(const P_system *f, const double *s, double *dx)
{
    double a[P_MOST * P_MOST] = { 0.0 }, weight[P_MOST];
    int i, k, fine = 1;
    for (i = 0; i < f->n * f->n; i++) {
        a[i] = 0.0;
    }
    /* An infinite slope tells nothing: its correction would be zero wherever the solution is. */
    for (k = 0; fine && k < f->nnz; k++) {
        a[f->places[k]] = s[f->matrix + (unsigned)k];
        fine = isfinite(a[f->places[k]]) != 0;
    }
    for (i = 0; i < f->n; i++) {
        dx[i] = s[f->rhs + (unsigned)i];
    }
    fine = fine && P_eliminate(a, dx, weight, f->n) == 0;
    for (i = 0; fine && i < f->n; i++) {
        fine = isfinite(dx[i]) != 0;
    }
    return fine;
}

static void P_note_inner(const P_system *f, const double *s, double *inner)
{
    int i;
    for (i = 0; i < f->inner_count; i++) {
        inner[i] = s[f->inner[i]];
    }
}

/* The largest movement of an inner variable since it was noted, in parts of its size; what is no number has not come to rest. */
static double P_inner_movement(const P_system *f, const double *s, const double *inner)
{
    double largest = 0.0;
    int i;
    for (i = 0; i < f->inner_count; i++) {
        const double now = s[f->inner[i]];
        const double moved = fabs(now - inner[i]) / fmax(fabs(now), f->least[i]);
        const int rests = (now <= inner[i] && now >= inner[i]) || moved <= largest;
        largest = rests ? largest : moved;
    }
    return largest;
}

/* Do the unknowns determine the inner variables, as precise as numbers are? `gain`: how many times more these have moved last, if positive. */
static int P_determined(const P_system *f, double *s, double gain)
{
    double x[P_MOST] = { 0.0 }, inner[P_MOST_INNER] = { 0.0 }, movement;
    int i, fine;
    if (gain >= 0.0) {
        return gain * P_EPSILON <= P_DETERMINED;
    }
    P_note_inner(f, s, inner);
    P_take(f, s, x);
    for (i = 0; i < f->n; i++) {
        s[f->unknowns[i]] = x[i] + P_ROUNDING * fmax(fabs(x[i]), P_INNER_SMALL * f->nominal[i]);
    }
    fine = P_evaluated(f, s);
    movement = P_inner_movement(f, s, inner);
    P_put(f, s, x);
    fine = P_evaluated(f, s) && fine;
    return fine && movement * (P_EPSILON / P_ROUNDING) <= P_DETERMINED;
}

/* Does a rounding error of an unknown move each residual that is not zero by as much as it is? */
static int P_is_rounding(const P_system *f, double *s, const double *w)
{
    double r[P_MOST] = { 0.0 }, moved[P_MOST] = { 0.0 };
    int i, k, rounded = 1;
    for (i = 0; i < f->n; i++) {
        r[i] = s[f->rhs + (unsigned)i];
    }
    for (k = 0; k < f->n; k++) {
        const double x = s[f->unknowns[k]];
        s[f->unknowns[k]] = x * (1.0 + P_UNITS * P_EPSILON);
        if (P_evaluated(f, s)) {
            for (i = 0; i < f->n; i++) {
                moved[i] = fmax(moved[i], fabs(s[f->rhs + (unsigned)i] - r[i]));
            }
        }
        s[f->unknowns[k]] = x;
    }
    for (i = 0; i < f->n; i++) {
        rounded = rounded && (fabs(r[i]) * w[i] <= P_FLAT || fabs(r[i]) <= moved[i]);
    }
    return P_evaluated(f, s) && rounded;
}

static int P_newton(const P_system *f, double *s, double *gain)
{
    double x[P_MOST] = { 0.0 }, dx[P_MOST] = { 0.0 }, scale[P_MOST] = { 0.0 }, w[P_MOST] = { 0.0 }, inner[P_MOST_INNER] = { 0.0 };
    int i, iteration, stalls = 0, restless = 0, done = 0, fine = P_evaluated(f, s);
    for (iteration = 0; fine && !done && iteration < 60; iteration++) {
        double size = 0.0, before, damping;
        int accepted = 0;
        P_take(f, s, x);
        P_scale(f, x, 1e-6, scale);
        fine = f->jacobian(s) == 0;
        if (!fine) {
            break;
        }
        if (P_weigh(f, s, x, scale, w)) {
            done = 1;
            break;
        }
        fine = P_correction(f, s, dx);
        if (!fine) {
            break;
        }
        for (i = 0; i < f->n; i++) {
            size = fmax(size, fabs(dx[i] / scale[i]));
        }
        before = P_weighted(f, s, w);
        P_note_inner(f, s, inner);
        for (damping = 1.0; !accepted && damping >= 1.0 / 4096.0; damping *= 0.5) {
            for (i = 0; i < f->n; i++) {
                s[f->unknowns[i]] = x[i] - damping * dx[i];
            }
            accepted = P_evaluated(f, s)
                && (P_weighted(f, s, w) <= (1.0 - 0.25 * damping) * before || size <= P_STEP);
        }
        if (accepted) {
            const double movement = P_inner_movement(f, s, inner);
            double own = 0.0;
            for (i = 0; i < f->n; i++) {
                own = fabs(x[i]) > 0.0 ? fmax(own, fabs(2.0 * damping * dx[i] / x[i])) : own;
            }
            *gain = own > P_ROUNDED && f->inner_count > 0 ? movement / own : *gain;
            done = size <= P_STEP && (f->inner_count == 0 || movement <= P_RESTS);
            restless += size <= P_STEP && !done;
            fine = restless <= P_RESTLESS;
        } else {
            P_put(f, s, x);
            /* No descent: at the limit of rounding this is as good as it gets. */
            if (P_evaluated(f, s) && size <= P_STALL && (before <= P_FLAT || P_is_rounding(f, s, w))) {
                done = 1;
            } else {
                /* A full step may still lead out of a flat place, once. */
                stalls += 1;
                for (i = 0; i < f->n; i++) {
                    s[f->unknowns[i]] = x[i] - dx[i];
                }
                fine = stalls <= 1 && P_evaluated(f, s);
            }
        }
    }
    return done;
}

/* The residual of one equation at x; 0 where it has none. */
static int P_at(const P_system *f, double *s, double x)
{
    s[f->unknowns[0]] = x;
    return P_evaluated(f, s);
}

/* One equation in one unknown: the nearest change of sign around `begin`, then halving. */
static int P_bracket(const P_system *f, double *s, double begin, double *gain)
{
    double near[2] = { 0.0 }, sign[2] = { 0.0 }, reach = 1e-7 * fmax(fabs(begin), 1e-3 * f->nominal[0]);
    double first, beginning, value = HUGE_VAL, low = begin, high = begin;
    int i, k, found = 0, lost[2] = { 0, 0 };
    if (f->n != 1 || !isfinite(begin) || !P_at(f, s, begin)) {
        return 0;
    }
    beginning = s[f->rhs];
    first = beginning;
    for (k = 0; k < 2; k++) {
        near[k] = begin;
        sign[k] = first;
    }
    for (i = 0; i < 70 && !found; i++) {
        for (k = 0; k < 2 && !found; k++) {
            const double at = k == 0 ? begin + reach : begin - reach;
            if (lost[k]) {
                continue;
            }
            if (!P_at(f, s, at)) {
                lost[k] = 1;
            } else if ((s[f->rhs] > 0.0) != (sign[k] > 0.0)) {
                low = near[k];
                high = at;
                first = sign[k];
                found = 1;
            } else {
                near[k] = at;
                sign[k] = s[f->rhs];
            }
        }
        reach *= 1.7;
    }
    if (!found) {
        s[f->unknowns[0]] = begin;
        return 0;
    }
    for (i = 0; i < 2000 && fabs(high - low) > 2.0 * P_EPSILON * fmax(fabs(low), fabs(high)); i++) {
        const double at = 0.5 * (low + high);
        if (!P_at(f, s, at)) {
            break;
        }
        value = s[f->rhs];
        if (!(fabs(value) > 0.0) || !(fabs(at - low) > 0.0) || !(fabs(at - high) > 0.0)) {
            break;
        }
        if ((value > 0.0) == (first > 0.0)) {
            low = at;
        } else {
            high = at;
        }
    }
    /* A jump over zero is no solution. */
    return fabs(value) <= 1e-6 * fmax(fabs(first), fabs(beginning)) && (P_newton(f, s, gain) || P_at(f, s, low));
}

/* Undamped, with limited exponentials: it begins with all tangents at zero; where they are at their arguments the plain method takes over. */
static int P_limited(const P_system *f, double *s, const double *begin, double *gain)
{
    double dx[P_MOST] = { 0.0 }, here[P_MOST] = { 0.0 }, first = 0.0;
    int i, k, iteration, done = 0, plain_failed = 0, fine = f->count > 0;
    P_put(f, s, begin);
    for (k = 0; k < f->count; k++) {
        s[f->tangents + (unsigned)k] = 0.0;
    }
    for (iteration = 0; fine && !done && iteration < 200; iteration++) {
        double size = 0.0;
        int home = 1;
        fine = f->moving(s) == 0;
        for (i = 0; fine && i < f->n; i++) {
            fine = isfinite(s[f->rhs + (unsigned)i]) != 0;
        }
        fine = fine && f->slopes(s) == 0 && P_correction(f, s, dx);
        if (!fine) {
            break;
        }
        for (i = 0; i < f->n; i++) {
            double *x = &s[f->unknowns[i]];
            *x -= dx[i];
            size = fmax(size, fabs(dx[i]) / fmax(fabs(*x), 1e-6 * f->nominal[i]));
        }
        for (k = 0; k < f->count; k++) {
            const double u = s[f->arguments + (unsigned)k];
            home = home && fabs(u - s[f->tangents + (unsigned)k]) <= P_ROUNDING * fmax(fabs(u), 1.0);
        }
        if (size <= 1e-3 && home) {
            P_take(f, s, here);
            done = !plain_failed && P_newton(f, s, gain);
            if (!done && !plain_failed) {
                plain_failed = 1;
                P_put(f, s, begin);
                fine = P_evaluated(f, s);
                first = P_largest_residual(f, s);
            }
            if (!done && fine) {
                P_put(f, s, here);
                /* The plain Jacobian is singular: this method goes on to its own end, where the residuals must be small beside those of the beginning. */
                if (size <= P_STEP) {
                    done = P_evaluated(f, s) && P_largest_residual(f, s) <= 1e-6 * first;
                    fine = done;
                }
            }
        }
    }
    return done;
}

/* Levenberg-Marquardt on the scaled system, for singular Jacobians and bad starts. */
static int P_levenberg_marquardt(const P_system *f, double *s, const double *begin)
{
    double j[P_MOST * P_MOST] = { 0.0 }, normal[P_MOST * P_MOST] = { 0.0 }, m[P_MOST * P_MOST] = { 0.0 };
    double x[P_MOST] = { 0.0 }, scale[P_MOST] = { 0.0 }, w[P_MOST] = { 0.0 }, r[P_MOST] = { 0.0 }, gradient[P_MOST] = { 0.0 }, step[P_MOST] = { 0.0 }, weight[P_MOST];
    double damping = 1e-3;
    const int n = f->n;
    int i, k, l, iteration, improved, done = 0, fine;
    P_put(f, s, begin);
    fine = P_evaluated(f, s);
    for (iteration = 0; fine && !done && iteration < 200; iteration++) {
        double before = 0.0, after = 0.0, small = 0.0;
        fine = f->jacobian(s) == 0;
        if (!fine) {
            break;
        }
        P_take(f, s, x);
        P_scale(f, x, 1e-3, scale);
        if (P_weigh(f, s, x, scale, w)) {
            done = 1;
            break;
        }
        for (i = 0; i < n * n; i++) {
            j[i] = 0.0;
        }
        for (k = 0; k < f->nnz; k++) {
            const int row = (int)f->places[k] / n, column = (int)f->places[k] % n;
            j[f->places[k]] = s[f->matrix + (unsigned)k] * w[row] * scale[column];
        }
        for (i = 0; i < n; i++) {
            r[i] = s[f->rhs + (unsigned)i] * w[i];
            before += r[i] * r[i];
        }
        for (i = 0; i < n; i++) {
            gradient[i] = 0.0;
            for (k = 0; k < n; k++) {
                gradient[i] += j[k * n + i] * r[k];
            }
            for (l = 0; l < n; l++) {
                double sum = 0.0;
                for (k = 0; k < n; k++) {
                    sum += j[k * n + i] * j[k * n + l];
                }
                normal[i * n + l] = sum;
            }
        }
        improved = 0;
        while (!improved && damping < 1e12) {
            for (i = 0; i < n * n; i++) {
                m[i] = normal[i];
            }
            for (i = 0; i < n; i++) {
                m[i * n + i] += damping * (normal[i * n + i] + 1e-12);
                step[i] = gradient[i];
            }
            if (P_eliminate(m, step, weight, n) == 0) {
                small = 0.0;
                for (i = 0; i < n; i++) {
                    s[f->unknowns[i]] = x[i] - step[i] * scale[i];
                    small = fmax(small, fabs(step[i]));
                }
                if (P_evaluated(f, s)) {
                    after = 0.0;
                    for (i = 0; i < n; i++) {
                        const double part = s[f->rhs + (unsigned)i] * w[i];
                        after += part * part;
                    }
                    improved = after < before;
                }
            }
            if (!improved) {
                damping *= 5.0;
            }
        }
        if (improved) {
            damping = fmax(0.2 * damping, 1e-14);
            done = sqrt(after) < P_SOLVED && small < 1e-6;
        } else {
            P_put(f, s, x);
            done = P_evaluated(f, s) && sqrt(before) < 10.0 * P_SOLVED;
            fine = 0;
        }
    }
    return done;
}

/* Begins again beside zero with the unknowns that are zero, where the residuals or their slopes there say nothing. */
static int P_beside_zero(const P_system *f, double *s, const double *begin, double *gain)
{
    static const double parts[4] = { 1e-2, -1e-2, 1.0, -1.0 };
    double beside[P_MOST] = { 0.0 };
    int i, k, p, done = 0, stuck;
    P_put(f, s, begin);
    stuck = !(P_evaluated(f, s) && f->jacobian(s) == 0);
    for (i = 0; !stuck && i < f->n; i++) {
        int flat = 1, odd = 0;
        for (k = 0; k < f->nnz; k++) {
            const double value = s[f->matrix + (unsigned)k];
            if ((int)f->places[k] % f->n == i) {
                flat = flat && !(fabs(value) > 0.0);
                odd = odd || !isfinite(value);
            }
        }
        stuck = !(fabs(begin[i]) > 0.0) && (flat || odd);
    }
    for (p = 0; stuck && !done && p < 4; p++) {
        for (i = 0; i < f->n; i++) {
            beside[i] = fabs(begin[i]) > 0.0 ? begin[i] : parts[p] * f->nominal[i];
        }
        P_put(f, s, beside);
        done = P_newton(f, s, gain) || P_levenberg_marquardt(f, s, beside);
    }
    return done;
}

/* 0 if the system is solved; otherwise its unknowns are where they were. */
static int P_solve_nonlinear(const P_system *f, double *s)
{
    double begin[P_MOST] = { 0.0 }, gain = -1.0;
    int done;
    P_take(f, s, begin);
    done = P_newton(f, s, &gain) || P_bracket(f, s, begin[0], &gain) || P_limited(f, s, begin, &gain)
        || P_levenberg_marquardt(f, s, begin) || P_beside_zero(f, s, begin, &gain);
    if (!done) {
        P_put(f, s, f->start);
        done = P_newton(f, s, &gain) || P_levenberg_marquardt(f, s, f->start);
    }
    done = done && (!f->checked || P_determined(f, s, gain));
    if (!done) {
        P_put(f, s, begin);
    }
    return done ? 0 : 1;
}

