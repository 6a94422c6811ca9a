within Modelica.Blocks;
package Interfaces "Signal connectors and base classes of blocks"
  connector RealInput = input Real "Real signal that enters a block";
  connector RealOutput = output Real "Real signal that leaves a block";
  connector BooleanInput = input Boolean "Boolean signal that enters a block";
  connector BooleanOutput = output Boolean "Boolean signal that leaves a block";
  connector IntegerInput = input Integer "Integer signal that enters a block";
  connector IntegerOutput = output Integer "Integer signal that leaves a block";
  connector RealVectorInput = input Real "Element of a vector of Real inputs";
  connector IntegerVectorInput = input Integer "Element of a vector of Integer inputs";
  connector BooleanVectorInput = input Boolean "Element of a vector of Boolean inputs";
  connector RealVectorOutput = output Real "Element of a vector of Real outputs";

  // Real signals
  partial block SO "One output"
    extends Icons.Block;
    RealOutput y "Output";
  end SO;

  partial block MO "Vector of outputs"
    extends Icons.Block;
    parameter Integer nout(min=1) = 1 "Size of y";
    RealOutput y[nout] "Outputs";
  end MO;

  partial block SISO "One input, one output"
    extends Icons.Block;
    RealInput u "Input";
    RealOutput y "Output";
  end SISO;

  partial block SI2SO "Two inputs, one output"
    extends Icons.Block;
    RealInput u1 "First input";
    RealInput u2 "Second input";
    RealOutput y "Output";
  end SI2SO;

  partial block SIMO "One input, vector of outputs"
    extends Icons.Block;
    parameter Integer nout = 1 "Size of y";
    RealInput u "Input";
    RealOutput y[nout] "Outputs";
  end SIMO;

  partial block MISO "Vector of inputs, one output"
    extends Icons.Block;
    parameter Integer nin = 1 "Size of u";
    RealInput u[nin] "Inputs";
    RealOutput y "Output";
  end MISO;

  partial block PartialRealMISO "Any number of inputs, one output"
    parameter Integer significantDigits(min=1) = 3 "Digits shown by a graphical editor";
    parameter Integer nu(min=0) = 0 "Number of inputs" annotation(Dialog(connectorSizing=true));
    RealVectorInput u[nu] "Inputs";
    RealOutput y "Output";
  end PartialRealMISO;

  partial block MIMO "Vector of inputs, vector of outputs"
    extends Icons.Block;
    parameter Integer nin = 1 "Size of u";
    parameter Integer nout = 1 "Size of y";
    RealInput u[nin] "Inputs";
    RealOutput y[nout] "Outputs";
  end MIMO;

  partial block MIMOs "Vectors of inputs and outputs of one size"
    extends Icons.Block;
    parameter Integer n = 1 "Size of u and y";
    RealInput u[n] "Inputs";
    RealOutput y[n] "Outputs";
  end MIMOs;

  partial block MI2MO "Two vectors of inputs, one of outputs"
    extends Icons.Block;
    parameter Integer n = 1 "Size of u1, u2 and y";
    RealInput u1[n] "First inputs";
    RealInput u2[n] "Second inputs";
    RealOutput y[n] "Outputs";
  end MI2MO;

  partial block SignalSource "Source with offset and start time"
    extends SO;
    parameter Real offset = 0 "Added to the signal";
    parameter SI.Time startTime = 0 "The signal is the offset before this time";
  end SignalSource;

  partial block SVcontrol "Controller of one variable"
    extends Icons.Block;
    RealInput u_s "Setpoint";
    RealInput u_m "Measurement";
    RealOutput y "Actuation";
  end SVcontrol;

  partial block MVcontrol "Controller of several variables"
    extends Icons.Block;
    parameter Integer nu_s = 1 "Number of setpoints";
    parameter Integer nu_m = 1 "Number of measurements";
    parameter Integer ny = 1 "Number of actuations";
    RealInput u_s[nu_s] "Setpoints";
    RealInput u_m[nu_m] "Measurements";
    RealOutput y[ny] "Actuations";
  end MVcontrol;

  // Sampled signals
  partial block DiscreteBlock "Periodically sampled block"
    extends Icons.DiscreteBlock;
    parameter SI.Time samplePeriod(min=100*Modelica.Constants.eps, start=0.1) "Time between samples";
    parameter SI.Time startTime = 0 "Time of the first sample";
  protected
    output Boolean sampleTrigger "True at a sample instant";
    output Boolean firstTrigger(start=false, fixed=true) "Becomes true at the first sample";
  equation
    sampleTrigger = sample(startTime, samplePeriod);
    when sampleTrigger then
      firstTrigger = time < startTime + 0.5*samplePeriod;
    end when;
  end DiscreteBlock;

  partial block DiscreteSISO "Sampled block with one input and one output"
    extends DiscreteBlock;
    RealInput u "Input";
    RealOutput y "Output";
  end DiscreteSISO;

  partial block DiscreteMIMO "Sampled block with vectors of inputs and outputs"
    extends DiscreteBlock;
    parameter Integer nin = 1 "Size of u";
    parameter Integer nout = 1 "Size of y";
    RealInput u[nin] "Inputs";
    RealOutput y[nout] "Outputs";
  end DiscreteMIMO;

  partial block DiscreteMIMOs "Sampled block with vectors of one size"
    parameter Integer n = 1 "Size of u and y";
    extends DiscreteBlock;
    RealInput u[n] "Inputs";
    RealOutput y[n] "Outputs";
  end DiscreteMIMOs;

  partial block SVdiscrete "Sampled controller of one variable"
    extends DiscreteBlock;
    RealInput u_s "Setpoint";
    RealInput u_m "Measurement";
    RealOutput y "Actuation";
    Discrete.Sampler sampler_s(final samplePeriod=samplePeriod, final startTime=startTime) "Samples the setpoint";
    Discrete.Sampler sampler_m(final samplePeriod=samplePeriod, final startTime=startTime) "Samples the measurement";
  equation
    connect(sampler_s.u, u_s);
    connect(sampler_m.u, u_m);
  end SVdiscrete;

  partial block MVdiscrete "Sampled controller of several variables"
    extends DiscreteBlock;
    parameter Integer nu_s = 1 "Number of setpoints";
    parameter Integer nu_m = 1 "Number of measurements";
    parameter Integer ny = 1 "Number of actuations";
    RealInput u_s[nu_s] "Setpoints";
    RealInput u_m[nu_m] "Measurements";
    RealOutput y[ny] "Actuations";
    Discrete.Sampler sampler_s[nu_s](each final samplePeriod=samplePeriod, each final startTime=startTime)
      "Samples the setpoints";
    Discrete.Sampler sampler_m[nu_m](each final samplePeriod=samplePeriod, each final startTime=startTime)
      "Samples the measurements";
  equation
    connect(sampler_s.u, u_s);
    connect(sampler_m.u, u_m);
  end MVdiscrete;

  // Boolean signals
  partial block BooleanSISO "One Boolean input, one Boolean output"
    extends Icons.BooleanBlock;
    BooleanInput u "Input";
    BooleanOutput y "Output";
  end BooleanSISO;

  partial block BooleanMIMOs "Boolean vectors of one size"
    extends Icons.BooleanBlock;
    parameter Integer n = 1 "Size of u and y";
    BooleanInput u[n] "Inputs";
    BooleanOutput y[n] "Outputs";
  end BooleanMIMOs;

  partial block MI2BooleanMOs "Two Real vectors in, a Boolean vector out"
    extends Icons.BooleanBlock;
    parameter Integer n = 1 "Size of u1, u2 and y";
    RealInput u1[n] "First inputs";
    RealInput u2[n] "Second inputs";
    BooleanOutput y[n] "Outputs";
  end MI2BooleanMOs;

  partial block SI2BooleanSO "Two Boolean inputs, one Boolean output"
    extends Icons.BooleanBlock;
    BooleanInput u1 "First input";
    BooleanInput u2 "Second input";
    BooleanOutput y "Output";
  end SI2BooleanSO;

  partial block BooleanSignalSource "Boolean source"
    extends Icons.BooleanBlock;
    BooleanOutput y "Output";
  end BooleanSignalSource;

  partial block partialBooleanSISO "Boolean logic with one input"
    extends Icons.PartialBooleanBlock;
    BooleanInput u "Input";
    BooleanOutput y "Output";
  end partialBooleanSISO;

  partial block partialBooleanSI2SO "Boolean logic with two inputs"
    extends Icons.PartialBooleanBlock;
    BooleanInput u1 "First input";
    BooleanInput u2 "Second input";
    BooleanOutput y "Output";
  end partialBooleanSI2SO;

  partial block partialBooleanSI3SO "Boolean logic with three inputs"
    extends Icons.PartialBooleanBlock;
    BooleanInput u1 "First input";
    BooleanInput u2 "Second input";
    BooleanInput u3 "Third input";
    BooleanOutput y "Output";
  end partialBooleanSI3SO;

  partial block partialBooleanSI "Boolean sink"
    extends Icons.PartialBooleanBlock;
    BooleanInput u "Input";
  end partialBooleanSI;

  partial block partialBooleanSO "Boolean output"
    extends Icons.PartialBooleanBlock;
    BooleanOutput y "Output";
  end partialBooleanSO;

  partial block partialBooleanSource "Boolean source for logic blocks"
    extends Icons.PartialBooleanBlock;
    BooleanOutput y "Output";
  end partialBooleanSource;

  partial block partialBooleanThresholdComparison "Real input against a threshold"
    parameter Real threshold = 0 "Value to compare with";
    RealInput u "Input";
    BooleanOutput y "Result";
  end partialBooleanThresholdComparison;

  partial block partialBooleanComparison "Two Real inputs against each other"
    RealInput u1 "First input";
    RealInput u2 "Second input";
    BooleanOutput y "Result";
  end partialBooleanComparison;

  partial block PartialBooleanSISO_small "One Boolean input, one Boolean output"
    BooleanInput u "Input";
    BooleanOutput y "Output";
  end PartialBooleanSISO_small;

  partial block PartialBooleanMISO "Any number of Boolean inputs, one output"
    parameter Integer nu(min=0) = 0 "Number of inputs" annotation(Dialog(connectorSizing=true));
    BooleanVectorInput u[nu] "Inputs";
    BooleanOutput y "Output";
  end PartialBooleanMISO;

  // Integer signals
  partial block IntegerSO "One Integer output"
    extends Icons.IntegerBlock;
    IntegerOutput y "Output";
  end IntegerSO;

  partial block IntegerMO "Vector of Integer outputs"
    extends Icons.IntegerBlock;
    parameter Integer nout(min=1) = 1 "Size of y";
    IntegerOutput y[nout] "Outputs";
  end IntegerMO;

  partial block IntegerSignalSource "Integer source with offset and start time"
    extends IntegerSO;
    parameter Integer offset = 0 "Added to the signal";
    parameter SI.Time startTime = 0 "The signal is the offset before this time";
  end IntegerSignalSource;

  partial block IntegerSIBooleanSO "One Integer input, one Boolean output"
    extends Icons.BooleanBlock;
    IntegerInput u "Input";
    BooleanOutput y "Output";
  end IntegerSIBooleanSO;

  partial block IntegerMIBooleanMOs "Integer vector in, Boolean vector out"
    extends Icons.BooleanBlock;
    parameter Integer n = 1 "Size of u and y";
    IntegerInput u[n] "Inputs";
    BooleanOutput y[n] "Outputs";
  end IntegerMIBooleanMOs;

  partial block PartialIntegerSISO "One Integer input, one Integer output"
    IntegerInput u "Input";
    IntegerOutput y "Output";
  end PartialIntegerSISO;

  partial block PartialIntegerMISO "Any number of Integer inputs, one output"
    parameter Integer nu(min=0) = 0 "Number of inputs" annotation(Dialog(connectorSizing=true));
    IntegerVectorInput u[nu] "Inputs";
    IntegerOutput y "Output";
  end PartialIntegerMISO;

  partial block PartialConversionBlock "Changes the unit of a signal"
    RealInput u "Signal to convert";
    RealOutput y "Converted signal";
  end PartialConversionBlock;

  package Adaptors "Physical connectors as signals, with the derivatives that the other side may need"
    partial model FlowToPotentialAdaptor "The flow is an input, the potential and its derivatives are outputs"
      parameter Boolean use_pder = true "Output of the first derivative of the potential" annotation(Evaluate=true);
      parameter Boolean use_pder2 = true "Output of the second derivative of the potential" annotation(Evaluate=true);
      parameter Boolean use_fder = true "Input of the first derivative of the flow" annotation(Evaluate=true);
      parameter Boolean use_fder2 = true "Input of the second derivative of the flow" annotation(Evaluate=true);
      RealOutput p "Potential";
      RealOutput pder if use_pder "First derivative of the potential";
      RealOutput pder2 if use_pder and use_pder2 "Second derivative of the potential";
      RealInput f "Flow";
      RealInput fder if use_fder "First derivative of the flow";
      RealInput fder2 if use_fder and use_fder2 "Second derivative of the flow";
    protected
      parameter String Name_p = "p" "Name of the potential";
      parameter String Name_pder = "der(p)" "Name of its first derivative";
      parameter String Name_pder2 = "der2(p)" "Name of its second derivative";
      parameter String Name_f = "f" "Name of the flow";
      parameter String Name_fder = "der(f)" "Name of its first derivative";
      parameter String Name_fder2 = "der2(f)" "Name of its second derivative";
      Real y "Potential of the physical connector";
      RealOutput y1 "First derivative of y, if used";
      RealOutput y2 "Second derivative of y, if used";
      Real u "Flow of the physical connector, with known derivatives";
      RealInput u1 "First derivative of u, if used";
      RealInput u2 "Second derivative of u, if used";
    equation
      p = y;
      y1 = if use_pder then der(y) else 0;
      y2 = if use_pder and use_pder2 then der(y1) else 0;
      connect(pder, y1);
      connect(pder2, y2);
      connect(fder, u1);
      connect(fder2, u2);
      if not use_fder then
        u1 = 0;
      end if;
      if not (use_fder and use_fder2) then
        u2 = 0;
      end if;
      if use_fder and use_fder2 then
        u = Functions.state2({f, u1, u2}, time);
      elseif use_fder then
        u = Functions.state1({f, u1}, time);
      else
        u = f;
      end if;
    end FlowToPotentialAdaptor;

    partial model PotentialToFlowAdaptor "The potential is an input, the flow and its derivatives are outputs"
      parameter Boolean use_pder = true "Input of the first derivative of the potential" annotation(Evaluate=true);
      parameter Boolean use_pder2 = true "Input of the second derivative of the potential" annotation(Evaluate=true);
      parameter Boolean use_fder = true "Output of the first derivative of the flow" annotation(Evaluate=true);
      parameter Boolean use_fder2 = true "Output of the second derivative of the flow" annotation(Evaluate=true);
      RealInput p "Potential";
      RealInput pder if use_pder "First derivative of the potential";
      RealInput pder2 if use_pder and use_pder2 "Second derivative of the potential";
      RealOutput f "Flow";
      RealOutput fder if use_fder "First derivative of the flow";
      RealOutput fder2 if use_fder and use_fder2 "Second derivative of the flow";
    protected
      parameter String Name_p = "p" "Name of the potential";
      parameter String Name_pder = "der(p)" "Name of its first derivative";
      parameter String Name_pder2 = "der2(p)" "Name of its second derivative";
      parameter String Name_f = "f" "Name of the flow";
      parameter String Name_fder = "der(f)" "Name of its first derivative";
      parameter String Name_fder2 = "der2(f)" "Name of its second derivative";
      Real y "Flow of the physical connector";
      RealOutput y1 "First derivative of the flow output, if used";
      RealOutput y2 "Second derivative of the flow output, if used";
      Real u "Potential of the physical connector, with known derivatives";
      RealInput u1 "First derivative of u, if used";
      RealInput u2 "Second derivative of u, if used";
    equation
      f = -y;
      y1 = if use_fder then -der(y) else 0;
      y2 = if use_fder and use_fder2 then der(y1) else 0;
      connect(fder, y1);
      connect(fder2, y2);
      connect(pder, u1);
      connect(pder2, u2);
      if not use_pder then
        u1 = 0;
      end if;
      if not (use_pder and use_pder2) then
        u2 = 0;
      end if;
      if use_pder and use_pder2 then
        u = Functions.state2({p, u1, u2}, time);
      elseif use_pder then
        u = Functions.state1({p, u1}, time);
      else
        u = p;
      end if;
    end PotentialToFlowAdaptor;

    package Functions "Signals whose derivatives are other signals"
      function state1 "Signal with a given first derivative"
        input Real u[2] "Value and first derivative";
        input Real dummy "Time, so that there is something to differentiate";
        output Real s "Value";
      algorithm
        s := u[1];
        annotation(derivative(noDerivative=u)=state1der1, InlineAfterIndexReduction=true);
      end state1;

      function state1der1 "First derivative of state1"
        input Real u[2] "Value and first derivative";
        input Real dummy "Time";
        input Real dummy_der "Derivative of the time";
        output Real sder1 "First derivative";
      algorithm
        sder1 := u[2];
        annotation(InlineAfterIndexReduction=true);
      end state1der1;

      function state2 "Signal with given first and second derivatives"
        input Real u[3] "Value, first and second derivative";
        input Real dummy "Time, so that there is something to differentiate";
        output Real s "Value";
      algorithm
        s := u[1];
        annotation(derivative(noDerivative=u)=state2der1, InlineAfterIndexReduction=true);
      end state2;

      function state2der1 "First derivative of state2"
        input Real u[3] "Value, first and second derivative";
        input Real dummy "Time";
        input Real dummy_der "Derivative of the time";
        output Real sder1 "First derivative";
      algorithm
        sder1 := u[2];
        annotation(derivative(order=2, noDerivative=u)=state2der2, InlineAfterIndexReduction=true);
      end state2der1;

      function state2der2 "Second derivative of state2"
        input Real u[3] "Value, first and second derivative";
        input Real dummy "Time";
        input Real dummy_der "Derivative of the time";
        input Real dummy_der2 "Second derivative of the time";
        output Real sder2 "Second derivative";
      algorithm
        sder2 := u[3];
        annotation(InlineAfterIndexReduction=true);
      end state2der2;
    end Functions;
  end Adaptors;
end Interfaces;
