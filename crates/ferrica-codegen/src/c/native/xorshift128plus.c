static void P_xorshift128plus(const double *in, double *out, double *number)
{
    uint64_t a = P_word(in);
    const uint64_t b = P_word(in + 2);
    a ^= a << 23;
    a = (a ^ b ^ (a >> 17) ^ (b >> 26)) + b;
    P_halves(b, out);
    P_halves(a, out + 2);
    *number = P_unit(a);
}

