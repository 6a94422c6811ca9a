static uint64_t P_word(const double *halves)
{
    return (uint64_t)(uint32_t)(int64_t)halves[0] | (uint64_t)(uint32_t)(int64_t)halves[1] << 32;
}

static double P_unit(uint64_t word)
{
    const double number = word >> 63 == 0U ? (double)word : -(double)(0U - word);
    return number * 5.421010862427522e-20 + 0.5;
}

