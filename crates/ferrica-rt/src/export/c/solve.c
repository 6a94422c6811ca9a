/* Solution of a small system by elimination with row scaling and partial pivoting; 1 if it is singular. */
static int @N@_solve_rest(int n, double *a, double *b)
{
    double scale[@N_REST@];
    int i, j, k, singular = 0;
    for (i = 0; i < n; i++) {
        double largest = 0.0;
        for (j = 0; j < n; j++) {
            largest = fabs(a[i * n + j]) > largest ? fabs(a[i * n + j]) : largest;
        }
        scale[i] = largest > 0.0 ? 1.0 / largest : 1.0;
    }
    for (k = 0; k < n && !singular; k++) {
        int p = k;
        double largest = 0.0, t;
        for (i = k; i < n; i++) {
            if (fabs(a[i * n + k]) * scale[i] > largest) {
                largest = fabs(a[i * n + k]) * scale[i];
                p = i;
            }
        }
        /* Not a number is no pivot either. */
        if (!(largest > 0.0) || !isfinite(a[p * n + k])) {
            singular = 1;
            continue;
        }
        if (p != k) {
            for (j = 0; j < n; j++) {
                t = a[k * n + j];
                a[k * n + j] = a[p * n + j];
                a[p * n + j] = t;
            }
            t = b[k];
            b[k] = b[p];
            b[p] = t;
            t = scale[k];
            scale[k] = scale[p];
            scale[p] = t;
        }
        t = 1.0 / a[k * n + k];
        for (i = k + 1; i < n; i++) {
            const double l = a[i * n + k] * t;
            if (fabs(l) > 0.0) {
                for (j = k + 1; j < n; j++) {
                    a[i * n + j] -= l * a[k * n + j];
                }
                b[i] -= l * b[k];
            }
        }
        a[k * n + k] = t;
    }
    for (k = n - 1; k >= 0 && !singular; k--) {
        for (j = k + 1; j < n; j++) {
            b[k] -= a[k * n + j] * b[j];
        }
        b[k] *= a[k * n + k];
    }
    return singular;
}

