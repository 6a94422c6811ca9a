static void P_real_to_integers(double number, double *halves)
{
    uint64_t bits = 0;
    (void)memcpy(&bits, &number, sizeof bits);
    P_halves(bits, halves);
}

