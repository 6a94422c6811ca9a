/* The model as a block of Simulink: `mex @N@_sfun.c @N@.c`. One port of inputs and one of variables, in the order of the header, at the step of the code.
   Outputs at a time are those of the model at that time; inputs at a time hold until the next. */
#define S_FUNCTION_NAME @N@_sfun
#define S_FUNCTION_LEVEL 2

#include "simstruc.h"

#include "@N@.h"

#include <stdlib.h>

static void mdlInitializeSizes(SimStruct *S)
{
    ssSetNumSFcnParams(S, 0);
    if (ssGetNumSFcnParams(S) != ssGetSFcnParamsCount(S)) {
        return;
    }
    ssSetNumContStates(S, 0);
    ssSetNumDiscStates(S, 0);
    if (!ssSetNumInputPorts(S, @UPPER@_INPUTS > 0 ? 1 : 0)) {
        return;
    }
#if @UPPER@_INPUTS > 0
    ssSetInputPortWidth(S, 0, @UPPER@_INPUTS);
    ssSetInputPortRequiredContiguous(S, 0, 1);
    ssSetInputPortDirectFeedThrough(S, 0, 0);
#endif
    if (!ssSetNumOutputPorts(S, @UPPER@_VARIABLES > 0 ? 1 : 0)) {
        return;
    }
#if @UPPER@_VARIABLES > 0
    ssSetOutputPortWidth(S, 0, @UPPER@_VARIABLES);
#endif
    ssSetNumSampleTimes(S, 1);
    ssSetNumPWork(S, 1);
    ssSetOptions(S, SS_OPTION_EXCEPTION_FREE_CODE);
}

static void mdlInitializeSampleTimes(SimStruct *S)
{
    ssSetSampleTime(S, 0, @UPPER@_STEP);
    ssSetOffsetTime(S, 0, 0.0);
}

#define MDL_START
static void mdlStart(SimStruct *S)
{
    @N@_model *m = (@N@_model *)calloc(1, sizeof(@N@_model));
    ssSetPWorkValue(S, 0, m);
    if (m == NULL) {
        ssSetErrorStatus(S, "no memory for the model");
    } else {
        @N@_init(m);
    }
}

static void mdlOutputs(SimStruct *S, int_T tid)
{
    @N@_model *m = (@N@_model *)ssGetPWorkValue(S, 0);
    const int e = @N@_compute_outputs(m);
    (void)tid;
    if (e != 0) {
        ssSetErrorStatus(S, @N@_message(e));
    } else {
#if @UPPER@_VARIABLES > 0
        real_T *y = ssGetOutputPortRealSignal(S, 0);
        int k;
        for (k = 0; k < @UPPER@_VARIABLES; k++) {
            y[k] = @N@_get(m, k);
        }
#endif
    }
}

#define MDL_UPDATE
static void mdlUpdate(SimStruct *S, int_T tid)
{
    @N@_model *m = (@N@_model *)ssGetPWorkValue(S, 0);
    int e, warning;
#if @UPPER@_INPUTS > 0
    const real_T *u = ssGetInputPortRealSignal(S, 0);
    int k;
    for (k = 0; k < @UPPER@_INPUTS; k++) {
        @N@_set_input(m, k, u[k]);
    }
#endif
    (void)tid;
    e = @N@_step(m);
    warning = @N@_warning(m);
    if (warning != 0) {
        ssWarning(S, @N@_message(warning));
    }
    if (e >= @UPPER@_TERMINATED) {
        ssSetStopRequested(S, 1);
    } else if (e != 0) {
        ssSetErrorStatus(S, @N@_message(e));
    } else {
        /* The run goes on. */
    }
}

static void mdlTerminate(SimStruct *S)
{
    free(ssGetPWorkValue(S, 0));
    ssSetPWorkValue(S, 0, NULL);
}

#ifdef MATLAB_MEX_FILE
#include "simulink.c"
#else
#include "cg_sfun.h"
#endif
