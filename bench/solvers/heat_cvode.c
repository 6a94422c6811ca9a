/* Heat rod: u_t = u_xx on n inner points of (0, 1), ends held at zero, solved by CVODE (BDF), with a band or a sparse (KLU)
 * matrix: the peer of the example `heat_rod`.
 *
 * The start is a sum of sines, which are eigenvectors of the difference operator, so the exact solution of the ODE is known.
 *
 * Usage: heat_cvode n rtol repeats band|klu */
#include <cvode/cvode.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_band.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_band.h>
#include <sunmatrix/sunmatrix_sparse.h>
#include <time.h>

static int n;
static double inv_dx2;
static const int modes[] = { 1, 3, 10, 31 };
static const double amplitudes[] = { 1.0, 0.5, 0.3, 0.2 };

static int rhs(double t, N_Vector yv, N_Vector dv, void *user)
{
  const double *y = N_VGetArrayPointer(yv);
  double *d = N_VGetArrayPointer(dv);
  d[0] = inv_dx2 * (y[1] - 2.0 * y[0]);
  for (int i = 1; i < n - 1; i++) d[i] = inv_dx2 * (y[i - 1] - 2.0 * y[i] + y[i + 1]);
  d[n - 1] = inv_dx2 * (y[n - 2] - 2.0 * y[n - 1]);
  return 0;
}

static int jac_band(double t, N_Vector y, N_Vector f, SUNMatrix J, void *u, N_Vector a, N_Vector b, N_Vector c)
{
  for (int j = 0; j < n; j++) {
    SM_ELEMENT_B(J, j, j) = -2.0 * inv_dx2;
    if (j > 0) SM_ELEMENT_B(J, j - 1, j) = inv_dx2;
    if (j < n - 1) SM_ELEMENT_B(J, j + 1, j) = inv_dx2;
  }
  return 0;
}

static int jac_sparse(double t, N_Vector y, N_Vector f, SUNMatrix J, void *u, N_Vector a, N_Vector b, N_Vector c)
{
  sunindextype *p = SUNSparseMatrix_IndexPointers(J), *r = SUNSparseMatrix_IndexValues(J), k = 0;
  double *v = SUNSparseMatrix_Data(J);
  for (int j = 0; j < n; j++) {
    p[j] = k;
    if (j > 0) r[k] = j - 1, v[k++] = inv_dx2;
    r[k] = j, v[k++] = -2.0 * inv_dx2;
    if (j < n - 1) r[k] = j + 1, v[k++] = inv_dx2;
  }
  p[n] = k;
  return 0;
}

static double exact(double t, int i)
{
  double x = (i + 1.0) / (n + 1.0), sum = 0.0;
  for (int m = 0; m < 4; m++) {
    double s = sin(modes[m] * M_PI / (2.0 * (n + 1.0)));
    sum += amplitudes[m] * sin(modes[m] * M_PI * x) * exp(-4.0 * inv_dx2 * s * s * t);
  }
  return sum;
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
  n = atoi(argv[1]);
  inv_dx2 = (n + 1.0) * (n + 1.0);
  double rtol = atof(argv[2]);
  int repeats = atoi(argv[3]), sparse = !strcmp(argv[4], "klu");
  SUNContext ctx;
  SUNContext_Create(NULL, &ctx);
  double best = 1e9, error = 0;
  long steps = 0, evals = 0, setups = 0, jac = 0, fails = 0, iters = 0;
  double *start_y = malloc(sizeof(double) * n), *wanted = malloc(sizeof(double) * n * 20);
  for (int i = 0; i < n; i++) start_y[i] = exact(0.0, i);
  for (int k = 0; k < 20; k++)
    for (int i = 0; i < n; i++) wanted[k * n + i] = exact(0.01 * (k + 1), i);
  for (int run = 0; run < repeats; run++) {
    double start = now();
    N_Vector y = N_VNew_Serial(n, ctx);
    memcpy(N_VGetArrayPointer(y), start_y, sizeof(double) * n);
    void *cv = CVodeCreate(CV_BDF, ctx);
    CVodeInit(cv, rhs, 0.0, y);
    CVodeSStolerances(cv, rtol, 1e-2 * rtol);
    CVodeSetMaxNumSteps(cv, 1000000);
    CVodeSetStopTime(cv, 0.2);
    SUNMatrix J = sparse ? SUNSparseMatrix(n, n, 3 * n - 2, CSC_MAT, ctx) : SUNBandMatrix(n, 1, 1, ctx);
    SUNLinearSolver ls = sparse ? SUNLinSol_KLU(y, J, ctx) : SUNLinSol_Band(y, J, ctx);
    CVodeSetLinearSolver(cv, ls, J);
    CVodeSetJacFn(cv, sparse ? jac_sparse : jac_band);
    double samples = 0;
    error = 0;
    for (int k = 0; k < 20; k++) {
      double t;
      if (CVode(cv, 0.01 * (k + 1), y, &t, CV_NORMAL) < 0) return 1;
      const double *v = N_VGetArrayPointer(y);
      for (int i = 0; i < n; i++) error = fmax(error, fabs(v[i] - wanted[k * n + i]));
      samples += v[n / 2];
    }
    double spent = now() - start;
    if (spent < best) best = spent;
    CVodeGetNumSteps(cv, &steps);
    CVodeGetNumRhsEvals(cv, &evals);
    CVodeGetNumLinSolvSetups(cv, &setups);
    CVodeGetNumJacEvals(cv, &jac);
    CVodeGetNumErrTestFails(cv, &fails);
    CVodeGetNumNonlinSolvIters(cv, &iters);
    CVodeFree(&cv);
    SUNLinSolFree(ls);
    SUNMatDestroy(J);
    N_VDestroy(y);
  }
  printf("CVODE+%s n=%d rtol=%g  %8.3f ms  steps %ld  error fails %ld  rhs %ld  newton %ld  setups %ld  jacobians %ld  "
         "max error %.2e\n", sparse ? "KLU " : "band", n, rtol, 1e3 * best, steps, fails, evals, iters, setups, jac, error);
  return 0;
}
