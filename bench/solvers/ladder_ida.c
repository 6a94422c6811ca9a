/* RLC ladder as a DAE of 5 N + 3 unknowns, solved by IDA with KLU: the peer of the example `rlc_ladder`.
 *
 * Nodes 0 (ground), 1 (source) and, for loop k, 2k (top) and 2k+1 (between L and C), k = 1..N.
 * Unknowns: node voltages, current of the source, then currents of R, L, C of each loop.
 * Equations: ground, the current balance of each other node, and one law for each component.
 *
 * Usage: ladder_ida N rtol reference.csv repeats */
#include <ida/ida.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>
#include <time.h>

static const double R = 10.0, L = 0.1, C = 0.1;

typedef struct {
  int loops, n;
  /* pattern by columns; each entry has the value a + cj * b */
  sunindextype *col, *row;
  double *a, *b;
} Ladder;

static int top(int k) { return k == 0 ? 1 : 2 * k; }
static int middle(int k) { return 2 * k + 1; }
static int current(const Ladder *d, int k, int which) { return 2 * d->loops + 2 + 1 + 3 * (k - 1) + which; }
static int source(const Ladder *d) { return 2 * d->loops + 2; }

static int residual(double t, N_Vector yv, N_Vector ypv, N_Vector rv, void *user)
{
  const Ladder *d = user;
  const double *y = N_VGetArrayPointer(yv), *yp = N_VGetArrayPointer(ypv);
  double *r = N_VGetArrayPointer(rv);
  int n_nodes = 2 * d->loops + 2;
  r[0] = y[0];
  /* node 1: source current flows out of the source into the node */
  r[1] = y[source(d)] - y[current(d, 1, 0)];
  r[source(d)] = y[1] - y[0] - 100.0 * sin(10.0 * M_PI * t);
  for (int k = 1; k <= d->loops; k++) {
    const double *i = y + n_nodes + 1 + 3 * (k - 1);
    double *q = r + n_nodes + 1 + 3 * (k - 1);
    double next = k < d->loops ? i[3] : 0.0;
    r[top(k)] = i[0] - i[1] - next;
    r[middle(k)] = i[1] - i[2];
    q[0] = y[top(k - 1)] - y[top(k)] - R * i[0];
    q[1] = y[top(k)] - y[middle(k)] - L * yp[n_nodes + 1 + 3 * (k - 1) + 1];
    q[2] = C * (yp[middle(k)] - yp[0]) - i[2];
  }
  return 0;
}

static int jacobian(double t, double cj, N_Vector y, N_Vector yp, N_Vector r, SUNMatrix J, void *user,
                    N_Vector t1, N_Vector t2, N_Vector t3)
{
  const Ladder *d = user;
  sunindextype *p = SUNSparseMatrix_IndexPointers(J), *i = SUNSparseMatrix_IndexValues(J);
  double *v = SUNSparseMatrix_Data(J);
  for (int c = 0; c <= d->n; c++) p[c] = d->col[c];
  for (sunindextype k = 0; k < d->col[d->n]; k++) {
    i[k] = d->row[k];
    v[k] = d->a[k] + cj * d->b[k];
  }
  return 0;
}

typedef struct { int c, r; double a, b; } Entry;
static int by_column(const void *x, const void *y)
{
  const Entry *p = x, *q = y;
  return p->c != q->c ? p->c - q->c : p->r - q->r;
}

static void build(Ladder *d)
{
  int n_nodes = 2 * d->loops + 2, m = 0;
  d->n = n_nodes + 1 + 3 * d->loops;
  Entry *e = malloc(sizeof(Entry) * (16 * d->loops + 16));
#define PUT(R_, C_, A_, B_) (e[m].r = (R_), e[m].c = (C_), e[m].a = (A_), e[m].b = (B_), m++)
  PUT(0, 0, 1, 0);
  PUT(1, source(d), 1, 0);
  PUT(1, current(d, 1, 0), -1, 0);
  PUT(source(d), 1, 1, 0);
  PUT(source(d), 0, -1, 0);
  for (int k = 1; k <= d->loops; k++) {
    int ir = current(d, k, 0), il = ir + 1, ic = ir + 2;
    PUT(top(k), ir, 1, 0);
    PUT(top(k), il, -1, 0);
    if (k < d->loops) PUT(top(k), ir + 3, -1, 0);
    PUT(middle(k), il, 1, 0);
    PUT(middle(k), ic, -1, 0);
    PUT(ir, top(k - 1), 1, 0);
    PUT(ir, top(k), -1, 0);
    PUT(ir, ir, -R, 0);
    PUT(il, top(k), 1, 0);
    PUT(il, middle(k), -1, 0);
    PUT(il, il, 0, -L);
    PUT(ic, middle(k), 0, C);
    PUT(ic, 0, 0, -C);
    PUT(ic, ic, -1, 0);
  }
  qsort(e, m, sizeof(Entry), by_column);
  d->col = calloc(d->n + 1, sizeof(sunindextype));
  d->row = malloc(sizeof(sunindextype) * m);
  d->a = malloc(sizeof(double) * m);
  d->b = malloc(sizeof(double) * m);
  for (int k = 0; k < m; k++) {
    d->col[e[k].c + 1]++;
    d->row[k] = e[k].r;
    d->a[k] = e[k].a;
    d->b[k] = e[k].b;
  }
  for (int c = 0; c < d->n; c++) d->col[c + 1] += d->col[c];
  free(e);
}

static double now(void)
{
  struct timespec s;
  clock_gettime(CLOCK_MONOTONIC, &s);
  return s.tv_sec + 1e-9 * s.tv_nsec;
}

int main(int argc, char **argv)
{
  if (argc != 5) return 2;
  Ladder d = { .loops = atoi(argv[1]) };
  double rtol = atof(argv[2]);
  int repeats = atoi(argv[4]);
  build(&d);
  double v4[100], i1[100], times[100];
  FILE *f = fopen(argv[3], "r");
  char line[1000];
  if (!f || !fgets(line, sizeof line, f)) return 2;
  for (int k = 0; k < 100; k++) {
    double skip;
    if (!fgets(line, sizeof line, f)) return 2;
    sscanf(line, "%lf,%lf,%lf,%lf,%lf,%lf", &times[k], &skip, &skip, &skip, &v4[k], &i1[k]);
  }
  fclose(f);
  SUNContext ctx;
  SUNContext_Create(NULL, &ctx);
  double best = 1e9, ev = 0, ei = 0;
  long steps = 0, res = 0, jac = 0, setups = 0, fails = 0, iters = 0;
  for (int run = 0; run < repeats; run++) {
    double start = now();
    N_Vector y = N_VNew_Serial(d.n, ctx), yp = N_VClone(y), id = N_VClone(y);
    N_VConst(0.0, y);
    N_VConst(0.0, yp);
    N_VConst(0.0, id);
    for (int k = 1; k <= d.loops; k++) {
      NV_Ith_S(id, middle(k)) = 1.0;
      NV_Ith_S(id, current(&d, k, 1)) = 1.0;
    }
    void *ida = IDACreate(ctx);
    IDAInit(ida, residual, 0.0, y, yp);
    IDASStolerances(ida, rtol, rtol);
    IDASetUserData(ida, &d);
    IDASetId(ida, id);
    IDASetSuppressAlg(ida, SUNTRUE);
    IDASetMaxNumSteps(ida, 1000000);
    IDASetStopTime(ida, 1.0);
    SUNMatrix J = SUNSparseMatrix(d.n, d.n, d.col[d.n], CSC_MAT, ctx);
    SUNLinearSolver ls = SUNLinSol_KLU(y, J, ctx);
    IDASetLinearSolver(ida, ls, J);
    IDASetJacFn(ida, jacobian);
    ev = ei = 0;
    for (int k = 0; k < 100; k++) {
      double t;
      if (IDASolve(ida, times[k], &t, y, yp, IDA_NORMAL) < 0) return 1;
      double a = NV_Ith_S(y, middle(1)) - v4[k], b = NV_Ith_S(y, current(&d, 1, 1)) - i1[k];
      ev = fmax(ev, fabs(a));
      ei = fmax(ei, fabs(b));
    }
    double spent = now() - start;
    if (spent < best) best = spent;
    IDAGetNumSteps(ida, &steps);
    IDAGetNumResEvals(ida, &res);
    IDAGetNumJacEvals(ida, &jac);
    IDAGetNumLinSolvSetups(ida, &setups);
    IDAGetNumErrTestFails(ida, &fails);
    IDAGetNumNonlinSolvIters(ida, &iters);
    IDAFree(&ida);
    SUNLinSolFree(ls);
    SUNMatDestroy(J);
    N_VDestroy(y);
    N_VDestroy(yp);
    N_VDestroy(id);
  }
  printf("IDA+KLU  N=%d rtol=%g  %8.3f ms  steps %ld  error fails %ld  residuals %ld  newton %ld  jacobians %ld  "
         "max error V %.2e I %.2e\n", d.loops, rtol, 1e3 * best, steps, fails, res, iters, jac, ev, ei);
  return 0;
}
