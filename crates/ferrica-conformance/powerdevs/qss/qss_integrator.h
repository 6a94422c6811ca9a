// A quantized integrator of first to third order, by the last letter of its method (none: first), explicit. Parameters: method, absolute quantum, relative quantum, first value. Input 0 the derivative,
// any other a new value; output 0 the quantized state.
#ifndef QSS_INTEGRATOR_H
#define QSS_INTEGRATOR_H
#include "simulator.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

class qss_integrator: public Simulator {
  double x[4], q[3], y[10], absolute, relative, quantum, sigma;
  int order;

  static double at(const double *c, int n, double s)
  {
    double v = 0;
    for (int k = n; k >= 0; k--) v = v * s + c[k];
    return v;
  }
  static void shift(double *c, int n, double s)
  {
    for (int k = 0; k < n; k++)
      for (int j = n - 1; j >= k; j--) c[j] += s * c[j + 1];
  }
  // Steps that double until the distance is a quantum, then halving: slow and sure.
  double leaving() const
  {
    double low = 0, high = 1e-9;
    while (fabs(at(x, 3, high) - at(q, 2, high)) <= quantum)
      if ((high *= 1.5) > 1e6) return 1e20;
    for (int n = 0; n < 100; n++) {
      const double middle = 0.5 * (low + high);
      if (fabs(at(x, 3, middle) - at(q, 2, middle)) <= quantum) low = middle; else high = middle;
    }
    return high;
  }

public:
  qss_integrator(const char *n): Simulator(n) {}
  void init(double t, ...)
  {
    va_list parameters;
    va_start(parameters, t);
    const char *method = va_arg(parameters, char*);
    while (method[0] && method[1]) method++;
    order = *method == '2' ? 2 : *method == '3' ? 3 : 1;
    absolute = atof(va_arg(parameters, char*));
    relative = atof(va_arg(parameters, char*));
    for (int k = 0; k < 10; k++) y[k] = 0;
    for (int k = 0; k < 4; k++) x[k] = 0;
    for (int k = 0; k < 3; k++) q[k] = 0;
    q[0] = x[0] = atof(va_arg(parameters, char*));
    va_end(parameters);
    quantum = fmax(absolute, relative * fabs(x[0]));
    sigma = 0;
  }
  double ta(double) { return sigma; }
  double state_at(double t) { return at(x, 3, t - tl); }
  Event lambda(double)
  {
    double c[4] = { x[0], x[1], x[2], x[3] };
    shift(c, 3, sigma);
    for (int k = 0; k < 3; k++) y[k] = k < order ? c[k] : 0;
    return Event(&y, 0);
  }
  void dint(double)
  {
    shift(x, 3, sigma);
    for (int k = 0; k < 3; k++) q[k] = k < order ? x[k] : 0;
    quantum = fmax(absolute, relative * fabs(x[0]));
    sigma = leaving();
  }
  void dext(Event event, double)
  {
    const double *v = (const double*)event.value;
    if (event.port == 0) {
      x[0] = at(x, 3, e);
      for (int k = 0; k < order; k++) x[k + 1] = v[k] / (k + 1);
      if (sigma > 0) {
        shift(q, 2, e);
        sigma = leaving();
      }
    } else {
      shift(x, 3, e);
      x[0] = v[0];
      sigma = 0;
    }
  }
};
#endif
