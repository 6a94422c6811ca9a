/* Numbers among k[0] to k[n - 1], not descending, that are below u, or not above it. */
static int P_count(const double *k, int n, double u, int equal_too)
{
    int low = 0, high = n;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (k[middle] < u || (equal_too && k[middle] <= u)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

