/* After a step: has a state left its scale while the iterations of steps do not converge? It is looked at as often as in a run. */
static int @N@_watch(@N@_model *m)
{
    int k, e = 0;
    if (!(m->s[@LAST_CORRECTION@] <= @CONVERGED_BOUND@)) {
        m->unconverged += 1UL;
    }
    if (m->step % @EVERY@UL == @LOOK@UL) {
        for (k = 0; k < @N_STATES@; k++) {
            const double value = fabs(m->s[@STATES@ + k]);
            if (value >= m->scale[k]) {
                while (m->scale[k] <= value) {
                    m->scale[k] *= @AGAIN@;
                }
                if (m->unconverged > m->unconverged_before) {
                    e = @UPPER@_DIVERGES;
                }
            }
        }
        m->unconverged_before = m->unconverged;
    }
    return e;
}

