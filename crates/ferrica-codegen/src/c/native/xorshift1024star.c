static void P_xorshift1024star(const double *in, double *out, double *number)
{
    const unsigned last = (unsigned)(int64_t)in[32] & 15U, next = (last + 1U) & 15U;
    uint64_t a = P_word(in + 2 * last), b = P_word(in + 2 * next);
    int k;
    b ^= b << 31;
    b ^= b >> 11;
    a ^= a >> 30;
    a ^= b;
    for (k = 0; k < 32; k++) {
        out[k] = in[k];
    }
    P_halves(a, out + 2 * next);
    out[32] = (double)next;
    *number = P_unit(a * UINT64_C(1181783497276652981));
}

