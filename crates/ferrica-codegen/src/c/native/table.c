/* Tables: interpolation over time, over one and over two arguments. Values, slopes and events are numbers of the code. */
typedef struct {
    int kind; /* 0: over time, 1: over one argument, 2: over two; otherwise it is no table */
    int n, n2; /* abscissae */
    int columns;
    int constant; /* steps */
    int extrapolation; /* 1: hold, 2: along the slope, 3: periodic, 4: forbidden */
    const double *x, *x2;
    const double *y; /* columns one after the other; over two arguments row by row */
    const double *slope; /* of a smooth table at the same places, along x; 0 for none */
    const double *slope2, *twist;
    double start, shift;
    int events; /* times, and rows that hold before and after */
    const double *event;
    const int *rows;
} P_table;

/* What is wrong with a call. */
enum { P_TABLE_OUTSIDE = 1, P_TABLE_COLUMN = 2, P_TABLE_OBJECT = 3 };

@TABLES@
static const P_table *P_table_of(double object, int kind)
{
    const P_table *t = 0;
    if (object >= 1.0 && object < @COUNT@.0 + 1.0 && P_tables[(int)object - 1].kind == kind) {
        t = &P_tables[(int)object - 1];
    }
    return t;
}

