static const double @N@_constant@K@[@MM@] = { @CONSTANT@ };
static const unsigned @N@_varying@K@[][2] = { @VARYING@ };
@REST_TABLE@
/* One step of the formula: Newton's iteration on what is left after elimination. */
static int @N@_formula@K@(double *s)
{
    double a[@MM@];
    int round, i, e = @N@_begin@K@(s);
@CORRECTION@    for (i = 0; i < @M@; i++) {
        s[@CHANGE@ + i] = 0.0;
    }
    for (round = 0; e == 0 && round < @ROUNDS@; round++) {
        e = @N@_iterate@K@(s);
        if (e != 0) {
            break;
        }
@RESIDUAL@        if (@SEARCHED@) {
            for (i = 0; i < @MM@; i++) {
                a[i] = @N@_constant@K@[i];
            }
            for (i = 0; i < @N_VARYING@; i++) {
                a[@N@_varying@K@[i][0]] = s[@N@_varying@K@[i][1]];
            }
            for (i = 0; i < @M@; i++) {
                s[@DELTA@ + i] = s[@RIGHT@ + i];
            }
            if (@N@_solve_rest(@M@, a, &s[@DELTA@]) != 0) {
                e = @UPPER@_SINGULAR;
                break;
            }
            for (i = 0; i < @M@; i++) {
                s[@CHANGE@ + i] = s[@BEFORE@ + i] + s[@DELTA@ + i];
            }
        }
@CONSTANT_ROWS@@JUDGED@    }
@LAST@@CONVERGED@    return e == 0 ? @N@_end@K@(s) : e;
}

