// Blocks of the model @MODEL@, written by ferrica.
#include "@N@_blocks.h"
#include <stdlib.h>

#define NEVER 1e20
#define COEFFICIENTS 5
// What the discrete part says to a detection beside a side: all of the event has been sent, or (added to the side) its function rests at zero there.
#define SENT 2
#define RESTS 4
// Coefficients that integrators take and send.
#define ORDER @ORDER@
// Quanta that an input may move before a function that is not affine speaks again.
#define FAR @FAR@
// Time of the run, and the longest and shortest time, in parts of it, that such a function or a source lasts.
#define SPAN @SPAN@
#define LONGEST 0.01
#define SHORTEST 1e-12

@CODE@
@INSTANT@// Values of all variables. The discrete part sets what is constant between events; functions compute on the rest.
static double s[] = { @SLOTS@ };
static double before[sizeof s / sizeof s[0]];
// Relations of time that have changed at the present instant.
static unsigned char flipped[@N_RELATIONS@ + 1];
// Relations of time that turn right after the present instant: the event after this one.
static unsigned char later[@N_RELATIONS@ + 1];

// The model as the passes of an event see it.
typedef struct {
  double *s;
  int forced[@N_RELATIONS@ + 1], reset[@N_REINITS@ + 1], given, met;
  double read[@N_READS@ + 1], reset_to[@N_REINITS@ + 1], gap[@N_RELATIONS@ + 1];
} @N@_model;

@PASSES_TEXT@
static const double sampling[][3] = { @SAMPLING@ };
// Discrete values that each function and source reads.
static const unsigned reads_start[] = { @READS_START@ };
static const unsigned reads[] = { @READS@ };
static const char *const names[] = { @NAMES@ };
static const char *const messages[] = { @MESSAGES@ };
// By function: is it not affine?
static const unsigned char bends[] = { @BENDS@ };
// Guard (or none), condition, is it an error? And what each says.
static const unsigned assertion[][3] = { @ASSERTIONS@ };
static const char *const said[] = { @SAID@ };
static unsigned char failed[@N_ASSERTIONS@ + 1];
// When samples are due, and which of them have been taken into an event that was early by rounding.
static double due[@N_SAMPLERS@ + 1];
static unsigned char taken[@N_SAMPLERS@ + 1];
enum { STATES = @STATES@, FIRST_STATE = @FIRST_STATE@, FUNCTIONS = @FUNCTIONS@, SOURCES = @SOURCES@, RELATIONS = @N_RELATIONS@,
       SAMPLERS = @N_SAMPLERS@, ASSERTIONS = @N_ASSERTIONS@ };

static void check(int error, double t)
{
  if (error == 0) return;
  printf("time %g: %s\n", t, messages[error - 1]);
  fflush(stdout);
  ::exit(1);
}

// Assertions whose conditions have been evaluated: those of when-clauses, or all others.
static void assert_all(bool of_when_clauses, double t)
{
  for (int k = 0; k < ASSERTIONS; k++) {
    const bool guarded = assertion[k][0] != ~0u;
    if (guarded != of_when_clauses || (guarded && s[assertion[k][0]] == 0.0)) continue;
    const bool fails = s[assertion[k][1]] == 0.0, again = !guarded && failed[k];
    failed[k] = fails;
    if (!fails || again) continue;
    if (assertion[k][2]) {
      printf("assertion failed at time %g: %s\n", t, said[k]);
      fflush(stdout);
      ::exit(1);
    }
    fprintf(stderr, "warning at time %g: %s\n", t, said[k]);
  }
}

static bool above(int k) { return @N@_operator[k] == '>' || @N@_operator[k] == ']'; }

static bool holds_at_threshold(int k) { return @N@_operator[k] == '[' || @N@_operator[k] == ']' || @N@_operator[k] == '='; }

// Is a relation of time at its threshold? All that happens at one instant is one event, whatever the rounding of the times.
static bool near(int k)
{
  const double a = s[@N@_relation[k][1]], b = s[@N@_relation[k][2]];
  const double scale = fabs(a) > fabs(b) ? fabs(a) : fabs(b);
  return @N@_timed[k] && fabs(a - b) <= 1e-9 * scale;
}

// At its threshold, is a relation of time still what it was (`time > 1`)? Then it turns right after it.
static bool turns_after(int k)
{
  return @N@_timed[k] && near(k) && (s[@N@_relation[k][0]] != 0.0) == holds_at_threshold(k);
}

// The crossing says how a relation holds, and not its sides, which are equal but for rounding. A zero that a reinit has made is meant.
static int @N@_keeps(const @N@_model *m, int k, double)
{
  return !m->met || @N@_timed[k] || s[@N@_relation[k][1]] != s[@N@_relation[k][2]];
}

static int @N@_check(@N@_model *m, int guarded)
{
  assert_all(guarded != 0, m->s[0]);
  return 0;
}

static double value(const double *c, double e)
{
  return c[0] + e * (c[1] + e * (c[2] + e * c[3]));
}

void @N@_blocks::init(double t, ...)
{
  va_list parameters;
  va_start(parameters, t);
  kind = (int)va_arg(parameters, double);
  number = (int)va_arg(parameters, double);
  inputs = (int)va_arg(parameters, double);
  quantum = atof(va_arg(parameters, char*));
  va_end(parameters);
  signal.assign((inputs + 1) * COEFFICIENTS, 0.0);
  arrived.assign(inputs + 1, 0);
  missing = inputs;
  queue.clear();
  sides.assign(RELATIONS + 1, -1);
  ticks.assign(SAMPLERS + 1, 0);
  held = rests = only_value = again = false;
  file = NULL;
  for (int k = 0; k < 10; k++) y[k] = 0.0;
  clock = t;
  fresh = false;
  positive = false;
  reach = 0;
  sigma = NEVER;
  // A function speaks when it has heard of all that it reads.
  if (kind == 0 && inputs == 0) sigma = 0;
  if (kind == 1) sigma = 0;
  if (kind == 2) {
    const bool holds = s[@N@_relation[number][0]] != 0.0;
    positive = holds == above(number);
    rests = holds != holds_at_threshold(number);
  }
  if (kind == 3) {
    count = sampling[number][2];
    due[number] = sampling[number][0] + count * sampling[number][1];
  }
  if (kind == 4) {
    check(@N@_relations(s), t);
    for (int k = 0; k < RELATIONS; k++) flipped[k] = near(k);
  }
  if (kind == 5) {
    file = fopen("@N@_steps.csv", "w");
    if (file) fprintf(file, "time,state,value\n");
  }
}

double @N@_blocks::ta(double t) { return kind == 3 ? due[number] - t : sigma; }

double @N@_blocks::moved(int input, double e) const
{
  return value(&signal[input * COEFFICIENTS], e);
}

// Brings all signals to t.
void @N@_blocks::advance(double t)
{
  const double e = t - clock;
  clock = t;
  if (e == 0) return;
  for (int k = 0; k < inputs; k++) {
    double *c = &signal[k * COEFFICIENTS];
    c[0] = value(c, e);
    c[1] += e * (2 * c[2] + 3 * e * c[3]);
    c[2] += 3 * e * c[3];
  }
}

void @N@_blocks::evaluate(double t)
{
  const double *u = &signal[0];
  (void)u;
  (void)t;
  switch (kind == 1 ? FUNCTIONS + number : number) {
@FUNCTION_CASES@  }
}

// Value and derivatives of a function with algebraic loops or calls: it is solved here and a little before and after.
void @N@_blocks::differences(double t, int (*program)(double *), unsigned result, const unsigned *slots)
{
  double h = 1e-3 * (fabs(t) > 1e-3 ? fabs(t) : 1e-3), v[3];
  for (int k = 0; k < inputs; k++) {
    const double *c = &signal[k * COEFFICIENTS];
    const double size = 1e-3 * (fabs(c[0]) > 1e-3 ? fabs(c[0]) : 1e-3);
    if (fabs(c[1]) * h > size) h = size / fabs(c[1]);
    if (fabs(c[2]) * h * h > size) h = sqrt(size / fabs(c[2]));
  }
  for (int n = 2; n >= 0; n--) {
    const double e = n == 0 || only_value ? 0 : n == 1 ? h : -h;
    s[0] = t + e;
    for (int k = 0; k < inputs; k++)
      if (slots[k] != ~0u) s[slots[k]] = moved(k, e);
    const int error = program(s);
    if (error && only_value) {
      // Nothing is there yet.
      y[0] = NAN;
      return;
    }
    if (error)
      for (int k = 0; k < inputs; k++)
        if (slots[k] != ~0u) printf("%s = %g, off by up to a quantum (%g)\n", names[slots[k] - FIRST_STATE], s[slots[k]], quantum);
    check(error, t);
    v[n] = s[result];
    if (only_value) break;
  }
  y[0] = v[only_value ? 2 : 0];
  if (only_value) return;
  y[1] = (v[1] - v[2]) / (2 * h);
  y[2] = (v[1] - 2 * v[0] + v[2]) / (2 * h * h);
}

// The value of a function or a source some time later, on the polynomials of its inputs.
double @N@_blocks::ahead(double e)
{
  double now[10];
  for (int k = 0; k < 10; k++) now[k] = y[k];
  const std::vector<double> here = signal, values(s, s + sizeof s / sizeof s[0]);
  const double t = clock;
  advance(t + e);
  only_value = true;
  evaluate(t + e);
  only_value = false;
  signal = here;
  for (unsigned k = 0; k < values.size(); k++) s[k] = values[k];
  clock = t;
  const double v = y[0];
  for (int k = 0; k < 10; k++) y[k] = now[k];
  return v;
}

// How long the inputs move by so little that nothing unforeseen is to be expected.
double @N@_blocks::calm() const
{
  double h = LONGEST * SPAN;
  for (int k = 0; k < inputs; k++) {
    const double *c = &signal[k * COEFFICIENTS];
    const double far = FAR * quantum * (fabs(c[0]) > 1 ? fabs(c[0]) : 1);
    if (fabs(c[1]) * h > far) h = far / fabs(c[1]);
    if (fabs(c[2]) * h * h > far) h = sqrt(far / fabs(c[2]));
  }
  return h;
}

// How long the polynomial that has been sent lasts: it is held against the function at places ahead, and the time halved until they agree. A
// step that is all jump ends beyond the jump.
double @N@_blocks::lasts(double h)
{
  const double least = SHORTEST * SPAN, size = quantum * (fabs(y[0]) > 1 ? fabs(y[0]) : 1);
  for (; h > least; h *= 0.5) {
    bool follows = true;
    for (int k = 4; k > 0 && follows; k--) {
      const double e = 0.25 * k * h, v = ahead(e);
      follows = fabs(v - (y[0] + e * (y[1] + e * y[2]))) <= size;
    }
    if (follows) return h;
  }
  return least + 4e-16 * fabs(clock);
}

// Time until the function of a detection is on the other side. One that has come to rest at zero is on the side that its relation has there, wherever the
// polynomial before it led; one that an event left there keeps the side that the event gave it. Between the places where its slope vanishes it is monotone: there a
// change of side is found by halving.
double @N@_blocks::crossing() const
{
  const double sign = positive ? 1 : -1;
  double c[4], place[4] = { 0, 0, 0, 0 };
  int places = 1;
  for (int k = 0; k < 4; k++) c[k] = sign * signal[k];
  if (c[0] == 0 && c[1] == 0 && c[2] == 0 && c[3] == 0)
    return rests || positive == (holds_at_threshold(number) == above(number)) ? NEVER : 0;
  // Right after an event the function is zero, up to rounding.
  if (fresh) c[0] += 1e-10 * reach + 1e-15 * fabs(clock * c[1]);
  if (c[0] < 0) return 0;
  const double a = 3 * c[3], b = 2 * c[2], d = b * b - 4 * a * c[1];
  if (a == 0) {
    if (b != 0 && -c[1] / b > 0) place[places++] = -c[1] / b;
  } else if (d >= 0) {
    const double r = -0.5 * (b + (b < 0 ? -sqrt(d) : sqrt(d)));
    double p = r / a, q = r != 0 ? c[1] / r : 0;
    if (p > q) { const double x = p; p = q; q = x; }
    if (p > 0) place[places++] = p;
    if (q > 0 && q != p) place[places++] = q;
  }
  for (int k = 0; k < places; k++) {
    double low = place[k], high;
    if (k + 1 < places) {
      high = place[k + 1];
    } else {
      high = low > 0 ? 2 * low : 1;
      while (high < 1e12 && value(c, high) >= 0) high *= 2;
    }
    if (value(c, high) >= 0) continue;
    for (int n = 0; n < 200 && low < high; n++) {
      const double middle = 0.5 * (low + high);
      if (middle <= low || middle >= high) break;
      if (value(c, middle) < 0) high = middle; else low = middle;
    }
    return high;
  }
  return NEVER;
}

// Until conditions, left limits and values agree.
static void settle(@N@_model *m, double t)
{
  int settled = 0;
  check(@N@_passes(m, &settled), t);
  if (settled) return;
  printf("time %g: the event does not settle\n", t);
  fflush(stdout);
  ::exit(1);
}

void @N@_blocks::event(double t)
{
  bool anything = false, told[RELATIONS + 1];
  for (int k = 0; k < SAMPLERS; k++) {
    if (ticks[k] && taken[k]) {
      ticks[k] = taken[k] = 0;
    } else if (!ticks[k] && @N@_same_time(due[k], t)) {
      ticks[k] = taken[k] = 1;
    }
    if (ticks[k]) anything = true;
  }
  again = false;
  for (int k = 0; k < RELATIONS; k++)
    if (sides[k] >= 0 || later[k]) anything = true;
  if (!anything) return;
  static @N@_model model;
  model.s = s;
  double state[STATES + 1];
  s[0] = t;
  for (int k = 0; k < STATES; k++) s[FIRST_STATE + k] = signal[k * COEFFICIENTS];
  check(@N@_continuous(s), t);
  @N@_take_left_limits(&model);
  for (unsigned k = 0; k < sizeof s / sizeof s[0]; k++) before[k] = s[k];
  for (int k = 0; k < STATES; k++) state[k] = s[FIRST_STATE + k];
  check(@N@_relations(s), t);
  // What changes at the instant comes first, what turns right after it next.
  bool now = false;
  for (int k = 0; k < SAMPLERS; k++)
    if (ticks[k]) now = true;
  for (int k = 0; k < RELATIONS; k++)
    if ((sides[k] >= 0 || (near(k) && !flipped[k])) && !later[k] && !turns_after(k)) now = true;
  for (int k = 0; k < RELATIONS; k++) {
    const bool here = near(k), turns = sides[k] >= 0 || (here && !flipped[k]);
    told[k] = sides[k] >= 0;
    if (here && later[k]) {
      sides[k] = s[@N@_relation[k][0]] == 0.0;
      flipped[k] = 1;
    } else if (turns && now && turns_after(k)) {
      sides[k] = s[@N@_relation[k][0]] != 0.0;
      later[k] = 1;
      again = true;
      continue;
    } else if (told[k]) {
      sides[k] = (sides[k] != 0) == above(k);
      flipped[k] = here;
    } else if (here && !flipped[k]) {
      sides[k] = s[@N@_relation[k][0]] == 0.0;
      flipped[k] = 1;
    } else if (here) {
      sides[k] = s[@N@_relation[k][0]] != 0.0;
    } else {
      flipped[k] = 0;
    }
    later[k] = 0;
    if (sides[k] >= 0) s[@N@_relation[k][0]] = sides[k];
  }
  for (int k = 0; k < SAMPLERS; k++)
    if (ticks[k]) s[@N@_sampler[k]] = 1.0;
  for (int k = 0; k < RELATIONS; k++) model.forced[k] = sides[k];
  settle(&model, t);
  check(@N@_actions(s), t);
  assert_all(false, t);
  // Sides first: they say how the new functions are to be read. The detections wait until all has been sent.
  bool moved = false;
  std::vector<int> waits;
  for (int k = 0; k < STATES; k++)
    if (s[FIRST_STATE + k] != state[k]) moved = true;
  for (int k = 0; k < RELATIONS; k++) {
    const bool turned = s[@N@_relation[k][0]] != before[@N@_relation[k][0]] || s[@N@_relation[k][0]] != (told[k] ? sides[k] : before[@N@_relation[k][0]]);
    // One that was to turn, and whose threshold has gone on, has not.
    const bool stays = later[k] && !near(k);
    if (stays) later[k] = 0;
    // Neither side agrees with its own consequence: the event has left it on this one, at its threshold.
    const bool kept = !told[k] && !@N@_timed[k] && s[@N@_relation[k][1]] == s[@N@_relation[k][2]] && (s[@N@_relation[k][0]] != 0.0) != holds_at_threshold(k);
    if (!moved && !turned && !stays && !kept) continue;
    const double side = (s[@N@_relation[k][0]] != 0.0) == above(k) ? 1.0 : 0.0;
    queue.push_back(std::make_pair(FUNCTIONS + SOURCES + STATES + k, side + (kept ? RESTS : 0)));
    waits.push_back(k);
  }
  for (int k = 0; k < STATES; k++)
    if (s[FIRST_STATE + k] != state[k]) {
      queue.push_back(std::make_pair(FUNCTIONS + SOURCES + k, s[FIRST_STATE + k]));
      signal[k * COEFFICIENTS] = s[FIRST_STATE + k];
    }
  for (int k = 0; k < FUNCTIONS + SOURCES; k++)
    for (unsigned at = reads_start[k]; at < reads_start[k + 1]; at++)
      if (s[reads[at]] != before[reads[at]]) {
        queue.push_back(std::make_pair(k, 0.0));
        break;
      }
  for (int k = 0; k < RELATIONS; k++)
    if (s[@N@_relation[k][0]] != before[@N@_relation[k][0]]) queue.push_back(std::make_pair(STATES + k, 0.0));
  for (unsigned k = 0; k < waits.size(); k++) queue.push_back(std::make_pair(FUNCTIONS + SOURCES + STATES + waits[k], (double)SENT));
  sides.assign(RELATIONS + 1, -1);
  ticks.assign(SAMPLERS + 1, 0);
}

Event @N@_blocks::lambda(double t)
{
  Event nothing;
  nothing.setNullEvent();
  switch (kind) {
  case 0:
  case 1:
    advance(t);
    evaluate(t);
    for (int k = ORDER; k < 3; k++) y[k] = 0;
    return Event(&y, 0);
  case 2:
    y[0] = positive ? 0 : 1;
    return Event(&y, 0);
  case 3:
    y[0] = 1;
    return Event(&y, 0);
  case 4:
    if (queue.empty() && fresh) {
      advance(t);
      event(t);
      fresh = again;
    }
    if (queue.empty()) return nothing;
    y[0] = queue.front().second;
    y[1] = y[2] = 0;
    return Event(&y, queue.front().first);
  case 6:
    advance(t);
    s[0] = t;
    for (int k = 0; k < STATES; k++) s[FIRST_STATE + k] = signal[k * COEFFICIENTS];
    check(@N@_assertions(s), t);
    assert_all(false, t);
    break;
  }
  return nothing;
}

void @N@_blocks::dint(double t)
{
  sigma = NEVER;
  switch (kind) {
  case 0:
    if (bends[number]) sigma = lasts(calm());
    break;
  case 1: {
    // A source lasts until one of the two terms that are left out reaches the quantum.
    const double size = quantum * (fabs(y[0]) > 1 ? fabs(y[0]) : 1);
    sigma = LONGEST * SPAN;
    if (y[3] != 0 && cbrt(size / fabs(y[3])) < sigma) sigma = cbrt(size / fabs(y[3]));
    if (y[4] != 0 && pow(size / fabs(y[4]), 0.25) < sigma) sigma = pow(size / fabs(y[4]), 0.25);
    clock = t;
    sigma = lasts(sigma);
    break;
  }
  case 2:
    advance(t);
    positive = !positive;
    rests = false;
    fresh = true;
    sigma = crossing();
    break;
  case 3:
    count += 1;
    due[number] = sampling[number][0] + count * sampling[number][1];
    break;
  case 6:
    sigma = calm();
    break;
  case 4:
    if (!queue.empty()) queue.erase(queue.begin());
    if (!queue.empty() || fresh) sigma = 0;
    break;
  }
}

void @N@_blocks::dext(Event x, double t)
{
  const double *const v = (const double*)x.value;
  advance(t);
  if (kind == 1) {
    sigma = 0;
    return;
  }
  if (kind == 2 && x.port == 1) {
    // A side that an event has decided, and later the word that all of it has been sent.
    held = v[0] != SENT;
    if (held) {
      rests = v[0] >= RESTS;
      positive = v[0] != (rests ? RESTS : 0);
      fresh = true;
    }
    sigma = held ? NEVER : crossing();
    return;
  }
  if (kind == 4 && x.port >= STATES) {
    const int k = x.port - STATES;
    if (k < SAMPLERS) ticks[k] = 1; else sides[k - SAMPLERS] = v[0] != 0;
    fresh = true;
    sigma = 0;
    return;
  }
  if (x.port < inputs) {
    for (int k = 0; k < 3; k++) signal[x.port * COEFFICIENTS + k] = v[k];
    if (!arrived[x.port]) {
      arrived[x.port] = 1;
      missing--;
    }
  }
  switch (kind) {
  case 0:
    if (missing == 0) sigma = 0;
    break;
  case 2:
    if (fabs(v[0]) > reach) reach = fabs(v[0]);
    if (v[0] != 0 || v[1] != 0 || v[2] != 0) rests = false;
    if (fabs(v[0]) > 1e-10 * reach) fresh = false;
    sigma = held ? NEVER : crossing();
    break;
  case 4:
    sigma = fresh || !queue.empty() ? 0 : NEVER;
    break;
  case 5:
    if (file) fprintf(file, "%.17g,%s,%.17g\n", t, names[x.port], v[0]);
    break;
  case 6:
    if (missing == 0) sigma = 0;
    break;
  }
}

void @N@_blocks::exit()
{
  if (file) fclose(file);
  file = NULL;
}
