// Atomic models of quantized bond graphs, written by ferrica.
//
// Efforts and flows are piecewise constant. A storage integrates what it is told and tells its quantized effort or flow when it crosses a
// level; a source tells its value when it has moved by a quantum, or jumps; everything else answers at once.
#ifndef QBG_ATOMICS_H
#define QBG_ATOMICS_H

#include "cdpp.h"

namespace qbg {

using cdpp::Atomic;
using cdpp::Message;

// The number at the end of the name of a port.
inline int bond_of(const std::string &port) {
  size_t at = port.find_last_not_of("0123456789");
  return at + 1 < port.size() ? atoi(port.c_str() + at + 1) : 0;
}

inline bool is_effort(const std::string &port) { return port.compare(0, 8, "inEffort") == 0; }

inline std::string named(const char *word, int bond) { return word + std::to_string(bond); }

// A model without memory: what arrives is answered at once.
class Instant : public Atomic {
protected:
  void initFunction() override { passivate(); }
  void internalFunction(double) override { passivate(); }
};

// One port: y = factor u, or y = u/factor.
class Resistance : public Instant {
  bool effort_in;
  double u = 0;

public:
  explicit Resistance(bool effort_in) : effort_in(effort_in) {}

protected:
  void externalFunction(const Message &m) override {
    u = m.value;
    holdIn(0);
  }
  void outputFunction(double time) override {
    double r = number("resistance"), way = number("direction", 1);
    if (effort_in) sendOutput(time, "outFlow1", way * u / r);
    else sendOutput(time, "outEffort1", way * u * r);
  }
};

// x' = gain u; its level is told. A value that rises is told as the next level when it reaches it, one that falls as the level before
// when it is the hysteresis below its own.
class Storage : public Atomic {
  const char *size, *port;
  double x = 0, rate = 0, quantum = 1, width = 1, gain = 1;
  long long level = 0;
  bool first = true;

  void plan() {
    if (rate > 0) holdIn(std::fmax(0, ((level + 1) * quantum - x) / rate));
    else if (rate < 0) holdIn(std::fmax(0, (x - level * quantum + width) / -rate));
    else passivate();
  }

public:
  Storage(const char *size, const char *port) : size(size), port(port) {}
  double state() const { return x; }

protected:
  void initFunction() override {
    x = number("initial", 0);
    quantum = number("quantum");
    width = number("hysteresis", quantum);
    gain = number("direction", 1) / number(size);
    level = (long long)std::floor(x / quantum);
    if ((level + 1) * quantum <= x + 1e-12 * quantum) level++;
    holdIn(0);
  }
  void externalFunction(const Message &m) override {
    x += rate * elapsed();
    rate = gain * m.value;
    if (!first) plan();
  }
  void outputFunction(double time) override {
    if (!first) level += rate > 0 ? 1 : -1;
    sendOutput(time, port, level * quantum);
  }
  void internalFunction(double) override {
    x += rate * elapsed();
    first = false;
    plan();
  }
};

// 0: hands on the effort, balances the flows; 1: the other way round.
class Junction : public Instant {
  bool parallel;
  double common = 0;
  std::vector<double> told;
  std::vector<double> ways;
  size_t decides = 0;
  bool common_changed = false, sum_changed = false;

public:
  explicit Junction(bool parallel) : parallel(parallel) {}

protected:
  void initFunction() override {
    std::istringstream list(text("directions"));
    std::string way;
    while (list >> way) ways.push_back(way == "+" ? 1 : -1);
    told.assign(ways.size(), 0);
    decides = (size_t)number("decides") - 1;
    passivate();
  }
  void externalFunction(const Message &m) override {
    if (is_effort(m.port) == parallel) {
      common = m.value;
      common_changed = true;
    } else {
      told[bond_of(m.port) - 1] = m.value;
      sum_changed = true;
    }
    holdIn(0);
  }
  void outputFunction(double time) override {
    if (common_changed) sendOutput(time, parallel ? "outEffort" : "outFlow", common);
    if (sum_changed) {
      double sum = 0;
      for (size_t k = 0; k < told.size(); k++)
        if (k != decides) sum -= ways[decides] * ways[k] * told[k];
      sendOutput(time, named(parallel ? "outFlow" : "outEffort", (int)decides + 1), sum);
    }
    common_changed = sum_changed = false;
  }
};

// TF: e1 = m e2, f2 = m f1. GY: e1 = r f2, e2 = r f1.
class TwoPort : public Instant {
  bool gyrates;
  std::map<std::string, double> pending;

public:
  explicit TwoPort(bool gyrates) : gyrates(gyrates) {}

protected:
  void externalFunction(const Message &m) override {
    int from = bond_of(m.port), to = 3 - from;
    double k = number("modulus");
    if (gyrates) {
      if (is_effort(m.port)) pending[named("outFlow", to)] = m.value / k;
      else pending[named("outEffort", to)] = m.value * k;
    } else if (is_effort(m.port)) {
      pending[named("outEffort", to)] = from == 2 ? m.value * k : m.value / k;
    } else {
      pending[named("outFlow", to)] = from == 1 ? m.value * k : m.value / k;
    }
    holdIn(0);
  }
  void outputFunction(double time) override {
    for (auto &p : pending) sendOutput(time, p.first, p.second);
    pending.clear();
  }
};

// A function of time: told at its jumps, and when it has moved by a quantum.
class Source : public Atomic {
  const char *port;
  double told = 0, quantum = 1, now = 0, look = 0;

  // The next jump after a time.
  virtual double jump(double) const { return cdpp::never; }
  // How far ahead it is looked at.
  virtual double ahead() const { return cdpp::never; }

  void plan() {
    double until = jump(now), from = now;
    if (look == cdpp::never) {
      holdIn(until - now);
      return;
    }
    // Not forever: what does not move is looked at again.
    for (int k = 0; k < 64; k++) {
      double to = std::fmin(from + look, until);
      if (to < cdpp::never && std::fabs(value(to) - told) >= quantum) {
        double inside = from, outside = to;
        while (outside - inside > 1e-13 * std::fmax(std::fabs(outside), look)) {
          double middle = 0.5 * (inside + outside);
          (std::fabs(value(middle) - told) < quantum ? inside : outside) = middle;
        }
        holdIn(outside - now);
        return;
      }
      if (to >= until) {
        holdIn(until - now);
        return;
      }
      from = to;
    }
    holdIn(from - now);
  }

protected:
  virtual double value(double time) const = 0;
  void initFunction() override {
    quantum = number("quantum", 1);
    look = ahead();
    holdIn(0);
  }
  void externalFunction(const Message &) override {}
  void outputFunction(double time) override {
    // Right after a jump.
    told = value(time);
    sendOutput(time, port, told);
  }
  void internalFunction(double time) override {
    now = time;
    plan();
  }

public:
  explicit Source(const char *port) : port(port) {}
};

class Constant : public Source {
public:
  using Source::Source;
protected:
  double value(double) const override { return number("value"); }
};

class Step : public Source {
public:
  using Source::Source;
protected:
  double value(double t) const override { return number("offset") + (t >= number("startTime") ? number("height") : 0); }
  double jump(double t) const override { return t < number("startTime") ? number("startTime") : cdpp::never; }
};

class Ramp : public Source {
public:
  using Source::Source;
protected:
  double value(double t) const override {
    double part = (t - number("startTime")) / number("duration");
    return number("offset") + number("height") * std::fmin(1, std::fmax(0, part));
  }
  double ahead() const override { return number("duration"); }
  double jump(double t) const override {
    double start = number("startTime"), end = start + number("duration");
    return t < start ? start : t < end ? end : cdpp::never;
  }
};

class Sine : public Source {
public:
  using Source::Source;
protected:
  double value(double t) const override {
    double s = t - number("startTime");
    if (s < 0) return number("offset");
    double angle = 6.283185307179586 * s / number("period") + number("phase");
    return number("offset") + number("amplitude") * std::exp(-s * number("damping", 0)) * std::sin(angle);
  }
  double ahead() const override { return number("period") / 24; }
  double jump(double t) const override { return t < number("startTime") ? number("startTime") : cdpp::never; }
};

class Exponential : public Source {
public:
  using Source::Source;
protected:
  double value(double t) const override {
    double s = t - number("startTime"), height = number("height");
    if (s < 0) return number("offset");
    double rise = number("riseTimeConstant"), fall = number("fallTime", cdpp::never);
    if (t < fall) return number("offset") + height * (1 - std::exp(-s / rise));
    double top = height * (1 - std::exp(-(fall - number("startTime")) / rise));
    return number("offset") + top * std::exp(-(t - fall) / number("fallTimeConstant"));
  }
  double ahead() const override { return std::fmin(number("riseTimeConstant"), number("fallTimeConstant", cdpp::never)) / 4; }
  double jump(double t) const override {
    double start = number("startTime"), fall = number("fallTime", cdpp::never);
    return t < start ? start : t < fall ? fall : cdpp::never;
  }
};

class Pulse : public Source {
public:
  using Source::Source;
protected:
  double turn(double t, double k, bool up) const {
    (void)t;
    return number("startTime") + (k + (up ? 0 : number("width") / 100)) * number("period");
  }
  double value(double t) const override {
    if (t < number("startTime")) return number("offset");
    // The same sums as those of the jumps, so that a jump is on its own far side.
    double k = std::floor((t - number("startTime")) / number("period") + 1e-9);
    return number("offset") + (t < turn(t, k, false) ? number("amplitude") : 0);
  }
  double jump(double t) const override {
    double k = std::fmax(0, std::floor((t - number("startTime")) / number("period")) - 1);
    for (;; k++)
      for (bool up : {true, false})
        if (turn(t, k, up) > t) return turn(t, k, up);
  }
};

// Straight lines: where each begins, its value there and its slope.
class Lines : public Source {
  std::vector<double> times, values, slopes;
  double longest = 0;

  size_t line(double t) const {
    size_t after = std::upper_bound(times.begin(), times.end(), t) - times.begin();
    return after == 0 ? 0 : after - 1;
  }

public:
  using Source::Source;
protected:
  void initFunction() override {
    times = numbers("times");
    values = numbers("values");
    slopes = numbers("slopes");
    for (size_t k = 1; k < times.size(); k++) longest = std::fmax(longest, times[k] - times[k - 1]);
    Source::initFunction();
  }
  double value(double t) const override {
    size_t k = line(t);
    return values[k] + slopes[k] * (t - times[k]);
  }
  double ahead() const override { return longest > 0 ? longest : slopes[0] == 0 ? cdpp::never : 1; }
  double jump(double t) const override {
    size_t k = line(t) + 1;
    return k < times.size() ? times[k] : cdpp::never;
  }
};

// Weighted sums of what is told: an effort or flow that follows from others, or all of a loop.
class WeightedSums : public Instant {
  std::vector<double> weights, told, last;
  bool first = true;

protected:
  void initFunction() override {
    weights = numbers("weights");
    told.assign((size_t)number("inputs"), 0);
    last.assign((size_t)number("outputs"), 0);
    passivate();
  }
  void externalFunction(const Message &m) override {
    told[bond_of(m.port) - 1] = m.value;
    holdIn(0);
  }
  void outputFunction(double time) override {
    for (size_t k = 0; k < last.size(); k++) {
      double sum = 0;
      for (size_t j = 0; j < told.size(); j++) sum += weights[k * told.size() + j] * told[j];
      if (first || sum != last[k]) sendOutput(time, named("out", (int)k + 1), sum);
      last[k] = sum;
    }
    first = false;
  }
};

template <class Model, class... Arguments>
cdpp::Maker make(Arguments... arguments) {
  return [=] { return std::unique_ptr<Atomic>(new Model(arguments...)); };
}

// All atomic models by name.
inline std::map<std::string, cdpp::Maker> atomics() {
  std::map<std::string, cdpp::Maker> out;
  out["QBGResistanceEffortIn"] = make<Resistance>(true);
  out["QBGResistanceFlowIn"] = make<Resistance>(false);
  out["QBGCapacitorFlowIn"] = make<Storage>("capacitance", "outEffort1");
  out["QBGInductorEffortIn"] = make<Storage>("inductance", "outFlow1");
  out["QBGParallelJunction"] = make<Junction>(true);
  out["QBGSerialJunction"] = make<Junction>(false);
  out["QBGWeightedSums"] = make<WeightedSums>();
  out["QBGTransformer"] = make<TwoPort>(false);
  out["QBGGyratorEffortIn"] = make<TwoPort>(true);
  out["QBGGyratorFlowIn"] = make<TwoPort>(true);
  const char *ports[2] = {"outEffort1", "outFlow1"};
  const std::string words[2] = {"QBGSourceEffort_", "QBGSourceFlow_"};
  for (int k = 0; k < 2; k++) {
    out[words[k] + "Constant"] = make<Constant>(ports[k]);
    out[words[k] + "Step"] = make<Step>(ports[k]);
    out[words[k] + "Ramp"] = make<Ramp>(ports[k]);
    out[words[k] + "Sine"] = make<Sine>(ports[k]);
    out[words[k] + "ExpSine"] = make<Sine>(ports[k]);
    out[words[k] + "Exponential"] = make<Exponential>(ports[k]);
    out[words[k] + "Pulse"] = make<Pulse>(ports[k]);
    out[words[k] + "Lines"] = make<Lines>(ports[k]);
  }
  return out;
}

} // namespace qbg
#endif
