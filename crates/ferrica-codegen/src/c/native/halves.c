/* Random numbers: xorshift generators (Vigna, ACM Trans. Math. Softw. 42 (2016) 30). A state is a vector of 32-bit integers, two of them a word,
   the lower half first; a word w, taken as a signed integer, becomes w/2^64 + 0.5. */
static double P_half(uint64_t word)
{
    const double half = (double)(word & 0xffffffffU);
    return half < 2147483648.0 ? half : half - 4294967296.0;
}

static void P_halves(uint64_t word, double *halves)
{
    halves[0] = P_half(word);
    halves[1] = P_half(word >> 32);
}

