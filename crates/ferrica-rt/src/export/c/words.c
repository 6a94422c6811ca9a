/* A piece of a message: a text; or the number in a slot, by its name where it has one, with so many digits, or whole with none. */
typedef struct {
    const char *text;
    const char *const *names;
    unsigned slot;
    int digits;
} @N@_piece_of_text;

static const @N@_piece_of_text @N@_said[] = { @PIECES@ };
static const unsigned @N@_said_from[] = { @FROM@ };

/* Puts the numbers of a message into their slots. */
static void @N@_words(double *s, int number)
{
    (void)s;
    switch (number) {
@CASES@    default:
        break;
    }
}

void @N@_describe(@N@_model *m, int result, char *text, unsigned long size)
{
    const int number = result - @UPPER@_FAILED_ASSERTION;
    if (size == 0UL) {
        return;
    }
    if (number < 0 || number >= @COUNT@) {
        (void)snprintf(text, size, "%s", @N@_message(result));
    } else {
        unsigned long used = 0UL;
        unsigned k;
        @N@_words(m->s, number);
        text[0] = '\0';
        for (k = @N@_said_from[number]; k < @N@_said_from[number + 1] && used < size; k++) {
            const @N@_piece_of_text *piece = &@N@_said[k];
            const double value = m->s[piece->slot];
            int length;
            if (piece->text != 0) {
                length = snprintf(text + used, size - used, "%s", piece->text);
            } else if (piece->names != 0) {
                length = snprintf(text + used, size - used, "%s", piece->names[(int)value - piece->digits]);
            } else if (piece->digits > 0) {
                length = snprintf(text + used, size - used, "%.*g", piece->digits, value);
            } else {
                length = snprintf(text + used, size - used, "%.0f", value);
            }
            used += length > 0 ? (unsigned long)length : 0UL;
        }
    }
}

