/* Behind an event: would the trapezoidal rule turn around what it has left of fast motions? Then h <J f, f> is below @TURNS@ <f, f> for the slopes f. Their bends
   J f are those of the next curves. */
static int @N@_turns_around(@N@_model *m)
{
    double *s = m->s;
    double largest = 0.0, part, product = 0.0, square = 0.0;
    int k, turns = 0;
    for (k = 0; k < @N_SLOTS@; k++) {
        m->held[k] = s[k];
    }
    for (k = 0; k < @N_STATES@; k++) {
        const double size = fmax(@N@_sizes[k], fabs(s[@STATES@ + k]));
        largest = fmax(largest, fabs(@H@ * s[@DERIVATIVES@ + k]) / size);
    }
    if (largest > 0.0) {
        part = fmin(@APART@ / largest, 1.0);
        for (k = 0; k < @N_STATES@; k++) {
            s[@STATES@ + k] += part * (@H@ * s[@DERIVATIVES@ + k]);
        }
        turns = @N@_continuous(s) == 0;
        for (k = 0; k < @N_STATES@; k++) {
            const double size = fmax(@N@_sizes[k], fabs(m->held[@STATES@ + k]));
            const double f = m->held[@DERIVATIVES@ + k];
            const double d = @H@ * f / size;
            const double bend = (s[@DERIVATIVES@ + k] - f) / part / @H@;
            product += @H@ * @H@ * bend / size * d;
            square += d * d;
            m->bend[k] = bend;
        }
        turns = turns && product < @TURNS@ * square;
        for (k = 0; k < @N_SLOTS@; k++) {
            s[k] = m->held[k];
        }
    }
    return turns;
}

