/* What an S-function may ask of Simulink, as far as exported code does: enough to compile and run one where there is no Simulink. */
#ifndef SIMSTRUC_H
#define SIMSTRUC_H

typedef double real_T;
typedef int int_T;

typedef struct {
    int parameters, continuous, discrete, inputs, outputs, input_width, output_width, contiguous, feed_through, sample_times, pointers, stop;
    unsigned options;
    double sample_time, offset;
    real_T input[64], output[64];
    void *pointer;
    const char *error, *warning;
} SimStruct;

#define SS_OPTION_EXCEPTION_FREE_CODE 1u
#define ssSetNumSFcnParams(S, n) ((S)->parameters = (n))
#define ssGetNumSFcnParams(S) ((S)->parameters)
#define ssGetSFcnParamsCount(S) 0
#define ssSetNumContStates(S, n) ((S)->continuous = (n))
#define ssSetNumDiscStates(S, n) ((S)->discrete = (n))
#define ssSetNumInputPorts(S, n) ((S)->inputs = (n), 1)
#define ssSetNumOutputPorts(S, n) ((S)->outputs = (n), 1)
#define ssSetInputPortWidth(S, port, n) ((S)->input_width = (n))
#define ssSetOutputPortWidth(S, port, n) ((S)->output_width = (n))
#define ssSetInputPortRequiredContiguous(S, port, yes) ((S)->contiguous = (yes))
#define ssSetInputPortDirectFeedThrough(S, port, yes) ((S)->feed_through = (yes))
#define ssSetNumSampleTimes(S, n) ((S)->sample_times = (n))
#define ssSetNumPWork(S, n) ((S)->pointers = (n))
#define ssSetOptions(S, o) ((S)->options = (o))
#define ssSetSampleTime(S, k, t) ((S)->sample_time = (t))
#define ssSetOffsetTime(S, k, t) ((S)->offset = (t))
#define ssSetPWorkValue(S, k, p) ((S)->pointer = (p))
#define ssGetPWorkValue(S, k) ((S)->pointer)
#define ssSetErrorStatus(S, text) ((S)->error = (text))
#define ssWarning(S, text) ((S)->warning = (text))
#define ssSetStopRequested(S, yes) ((S)->stop = (yes))
#define ssGetInputPortRealSignal(S, port) ((const real_T *)(S)->input)
#define ssGetOutputPortRealSignal(S, port) ((S)->output)

#endif
