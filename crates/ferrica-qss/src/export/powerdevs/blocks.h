//CPP:@N@/@N@_blocks.cpp
// Blocks of the model @MODEL@, written by ferrica.
#if !defined @N@_blocks_h
#define @N@_blocks_h

#include "simulator.h"
#include "event.h"
#include "stdarg.h"
#include "stdio.h"
#include <utility>
#include <vector>

// Parameters: what it is, its number, its inputs, the quantum.
//  0 static function: inputs are polynomials, one more asks for the value again; output 0 the value
//  1 source: input 0 asks for the value again; output 0 the value
//  2 cross detection: input 0 the function, input 1 what an event says: its side, or that all has been sent; output 0 the new side
//  3 sample: output 0 a tick
//  4 discrete part: inputs are states, ticks, sides; outputs ask functions and sources, set states, set sides
//  5 recorder: inputs are states
//  6 assertions between events: inputs are states
// A signal is an array of Taylor coefficients about the time of its event.
class @N@_blocks: public Simulator {
  int kind, number, inputs, missing;
  double quantum, sigma, clock, count, reach;
  bool positive, fresh, held, rests, only_value, again;
  std::vector<double> signal;
  std::vector<char> arrived;
  std::vector<std::pair<int, double> > queue;
  std::vector<int> sides, ticks;
  FILE *file;
  double y[10];

  void advance(double t);
  double moved(int input, double e) const;
  void evaluate(double t);
  void differences(double t, int (*program)(double *), unsigned result, const unsigned *slots);
  void event(double t);
  double ahead(double e);
  double calm() const;
  double lasts(double h);
  double crossing() const;

public:
  @N@_blocks(const char *n): Simulator(n) {};
  void init(double, ...);
  double ta(double t);
  void dint(double);
  void dext(Event, double);
  Event lambda(double);
  void exit();
};
#endif
