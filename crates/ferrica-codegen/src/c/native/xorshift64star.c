static void P_xorshift64star(const double *in, double *out, double *number)
{
    uint64_t x = P_word(in);
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    x *= UINT64_C(2685821657736338717);
    P_halves(x, out);
    *number = P_unit(x);
}

