/* Refactorization and solution of the RLC ladder's Jacobian by KLU: the peer of the example `linear_ladder`.
 *
 * Usage: ladder_klu N... */
#include <klu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct { int c, r; double v; } Entry;
static int by_column(const void *x, const void *y)
{
  const Entry *p = x, *q = y;
  return p->c != q->c ? p->c - q->c : p->r - q->r;
}

static double now(void)
{
  struct timespec s;
  clock_gettime(CLOCK_MONOTONIC, &s);
  return 1e6 * s.tv_sec + 1e-3 * s.tv_nsec;
}

static int top(int k) { return k == 0 ? 1 : 2 * k; }

int main(int argc, char **argv)
{
  for (int arg = 1; arg < argc; arg++) {
    int loops = atoi(argv[arg]), nodes = 2 * loops + 2, n = nodes + 1 + 3 * loops, m = 0;
    const double R = 10.0, L = 0.1, C = 0.1, cj = 1000.0;
    Entry *e = malloc(sizeof(Entry) * (16 * loops + 16));
#define PUT(R_, C_, V_) (e[m].r = (R_), e[m].c = (C_), e[m].v = (V_), m++)
    PUT(0, 0, 1);
    PUT(1, nodes, 1);
    PUT(1, nodes + 1, -1);
    PUT(nodes, 1, 1);
    PUT(nodes, 0, -1);
    for (int k = 1; k <= loops; k++) {
      int v = top(k), w = 2 * k + 1, ir = nodes + 1 + 3 * (k - 1), il = ir + 1, ic = ir + 2;
      PUT(v, ir, 1);
      PUT(v, il, -1);
      if (k < loops) PUT(v, ir + 3, -1);
      PUT(w, il, 1);
      PUT(w, ic, -1);
      PUT(ir, top(k - 1), 1);
      PUT(ir, v, -1);
      PUT(ir, ir, -R);
      PUT(il, v, 1);
      PUT(il, w, -1);
      PUT(il, il, -L * cj);
      PUT(ic, w, C * cj);
      PUT(ic, 0, -C * cj);
      PUT(ic, ic, -1);
    }
    qsort(e, m, sizeof(Entry), by_column);
    int *p = calloc(n + 1, sizeof(int)), *r = malloc(sizeof(int) * m);
    double *v = malloc(sizeof(double) * m), *x = malloc(sizeof(double) * n);
    for (int k = 0; k < m; k++) p[e[k].c + 1]++, r[k] = e[k].r, v[k] = e[k].v;
    for (int c = 0; c < n; c++) p[c + 1] += p[c];
    klu_common common;
    klu_defaults(&common);
    double t0 = now();
    klu_symbolic *s = klu_analyze(n, p, r, &common);
    double t1 = now();
    klu_numeric *f = klu_factor(p, r, v, s, &common);
    double t2 = now();
    double refactor = 1e9, solve = 1e9;
    for (int i = 0; i < 200; i++) {
      double a = now();
      klu_refactor(p, r, v, s, f, &common);
      double b = now();
      for (int c = 0; c < n; c++) x[c] = 1.0;
      double d = now();
      klu_solve(s, f, n, 1, x, &common);
      double g = now();
      if (b - a < refactor) refactor = b - a;
      if (g - d < solve) solve = g - d;
    }
    printf("n %d  nnz %d  factors %d  blocks %d  analysis %.0f  factor %.0f  refactor %.1f  solve %.1f  sum %.1f us (KLU)\n", n, m,
           f->lnz + f->unz + f->nzoff - n, s->nblocks, t1 - t0, t2 - t1, refactor, solve, refactor + solve);
  }
  return 0;
}
