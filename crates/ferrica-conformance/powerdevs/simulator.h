// What the blocks of an export need of an atomic model, and a coordinator for them: imminent blocks of equal time take turns by their
// number, and what one sends arrives before it changes itself.
#ifndef SIMULATOR_H
#define SIMULATOR_H
#include "event.h"
#include <math.h>
#include <stdio.h>
#include <vector>

class Simulator {
public:
  const char *name;
  double e, tl, tn;
  Simulator(const char *n): name(n), e(0), tl(0), tn(0) {}
  virtual ~Simulator() {}
  virtual void init(double, ...) = 0;
  virtual double ta(double) = 0;
  virtual void dint(double) = 0;
  virtual void dext(Event, double) = 0;
  virtual Event lambda(double) = 0;
  virtual void exit() {}
  // The value of a state at a time; other blocks have none.
  virtual double state_at(double) { return NAN; }
};

struct Connection { int from, out, to, in; };

// One row: the time and the states.
inline void print_row(const std::vector<Simulator*> &blocks, double t)
{
  printf("%.17g", t);
  for (size_t k = 0; k < blocks.size(); k++) {
    const double v = blocks[k]->state_at(t);
    if (v == v) printf(",%.17g", v);
  }
  printf("\n");
}

// With an interval the states are printed at its multiples, after what happens there.
inline int coordinate(const std::vector<Simulator*> &blocks, const std::vector<Connection> &list, double stop, double interval = 0)
{
  long rows = 0;
  if (interval > 0) {
    printf("time");
    for (size_t k = 0; k < blocks.size(); k++)
      if (blocks[k]->state_at(0) == blocks[k]->state_at(0)) printf(",%d", (int)k);
    printf("\n");
  }
  for (size_t k = 0; k < blocks.size(); k++) blocks[k]->tn = blocks[k]->ta(0.0);
  double last = 0;
  for (long same = 0; ; same++) {
    size_t next = 0;
    for (size_t k = 1; k < blocks.size(); k++)
      if (blocks[k]->tn < blocks[next]->tn) next = k;
    const double t = blocks[next]->tn;
    for (; interval > 0 && rows * interval < t && rows * interval <= stop * (1 + 1e-12); rows++) print_row(blocks, rows * interval);
    if (t > stop) break;
    if (t > last) same = 0;
    if (same > 100000) return 1;
    last = t;
    Event sent = blocks[next]->lambda(t);
    if (sent.isNotNull()) {
      const int port = sent.port;
      for (size_t k = 0; k < list.size(); k++) {
        if (list[k].from != (int)next || list[k].out != port) continue;
        Simulator *to = blocks[list[k].to];
        sent.port = list[k].in;
        to->e = t - to->tl;
        to->dext(sent, t);
        to->tl = t;
        to->tn = t + to->ta(t);
      }
    }
    blocks[next]->e = t - blocks[next]->tl;
    blocks[next]->dint(t);
    blocks[next]->tl = t;
    blocks[next]->tn = t + blocks[next]->ta(t);
  }
  for (size_t k = 0; k < blocks.size(); k++) blocks[k]->exit();
  return 0;
}
#endif
