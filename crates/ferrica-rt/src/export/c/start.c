/* After the first step: does the trapezoidal rule carry a slope of the start through it that is gone at its end? Sizes of the states are those of the start. */
static void @N@_watch_start(@N@_model *m)
{
    int k;
    for (k = 0; k < @N_STATES@; k++) {
        const double moved = @HALF@ * fabs(@N@_initial[@DERIVATIVES@ + k] - m->s[@DERIVATIVES@ + k]);
        const double size = fmax(@N@_sizes[k], fabs(m->s[@STATES@ + k]));
        if (moved > @CARRIED@ * size) {
            m->warning = @UPPER@_START_TOO_FAST;
        }
    }
}

