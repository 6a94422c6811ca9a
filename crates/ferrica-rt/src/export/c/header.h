/* @MODEL@ with @SOLVER@ and a step of @H@ s.

   init, then for each step: set_input, step, get. A result of 0 is well; a negative one or one up to FAILED_ASSERTION and the assertions behind it is a failure,
   one from TERMINATED on says that the model has ended the run: code and message tell more.

   Work, at most: @WORK@. */
#ifndef @UPPER@_H
#define @UPPER@_H

#define @UPPER@_VARIABLES @N_VARIABLES@
#define @UPPER@_INPUTS @N_INPUTS@
#define @UPPER@_PARAMETERS @N_PARAMETERS@
#define @UPPER@_START @START@
#define @UPPER@_STEP @H@
/* Does the end of the run matter to the model? */
#define @UPPER@_TERMINAL @TERMINAL@

enum {
    @UPPER@_SINGULAR = -1,
    @UPPER@_LOST_INSTANT = -2,
    @UPPER@_NOT_FINITE = -3,
    @UPPER@_UNSETTLED = -4,
    @UPPER@_NOT_CONVERGED = -5,
    @UPPER@_NO_ROOM = -6,
    @UPPER@_DIVERGES = -7,
    @UPPER@_ACCUMULATES = -8,
    @UPPER@_START_TOO_FAST = -9,
    @UPPER@_SETTLES_LATE = -10,
    @UPPER@_FAILED_ASSERTION = @FAILED_ASSERTION@,
    @UPPER@_TERMINATED = @TERMINATED@
};

@ENUMERATIONS@@TYPES@typedef struct {
    double s[@N_SLOTS@];
    unsigned long step;
    unsigned long events;
    int start_up;
    int restart;
    int unsettled;
    int warning;
    int ended;
    int touched;
@WATCHED@@FIELDS@} @N@_model;

typedef struct {
    const char *name;
    unsigned slot;
    double sign;
} @N@_variable;

extern const @N@_variable @N@_variables[];

/* The model at its start time. */
void @N@_init(@N@_model *m);
/* One step and what happens at its end. */
int @N@_step(@N@_model *m);
/* Variables that a step does not need, at the present point. */
int @N@_compute_outputs(@N@_model *m);
/* The end of the run: what the model does when terminal() becomes true. */
int @N@_terminate(@N@_model *m);
double @N@_time(const @N@_model *m);
double @N@_get(const @N@_model *m, int variable);
void @N@_set_input(@N@_model *m, int input, double value);
double @N@_get_input(const @N@_model *m, int input);
@REFRESH@@SET_PARAMETER@/* Events so far; the next time at which one is known to come. */
unsigned long @N@_events(const @N@_model *m);
double @N@_next_event(@N@_model *m);
/* The assertion of level warning that has failed since the last call, START_TOO_FAST after the first step where it is too long for the start,
   SETTLES_LATE where the conditions of an event do not agree with the values at its step, or 0. */
int @N@_warning(@N@_model *m);
/* Steps so far whose last correction was not negligible. */
unsigned long @N@_unconverged(const @N@_model *m);
/* What a result means. */
const char *@N@_code(int result);
const char *@N@_message(int result);
@DESCRIBE@
#endif
