within Modelica.Blocks;
package Interfaces "Signal connectors and base classes of blocks"
  connector RealInput = input Real "Real signal that enters a block"
    annotation(Icon(graphics={Polygon(points={{-100,100},{100,0},{-100,-100}}, lineColor={0,0,127}, fillColor={0,0,127}, fillPattern=FillPattern.Solid)}));
  connector RealOutput = output Real "Real signal that leaves a block"
    annotation(Icon(graphics={Polygon(points={{-100,100},{100,0},{-100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid)}));
  connector BooleanInput = input Boolean "Boolean signal that enters a block"
    annotation(Icon(graphics={Polygon(points={{-100,100},{100,0},{-100,-100}}, lineColor={255,0,255}, fillColor={255,0,255}, fillPattern=FillPattern.Solid)}));
  connector BooleanOutput = output Boolean "Boolean signal that leaves a block"
    annotation(Icon(graphics={Polygon(points={{-100,100},{100,0},{-100,-100}}, lineColor={255,0,255}, fillColor={255,255,255}, fillPattern=FillPattern.Solid)}));
  connector IntegerInput = input Integer "Integer signal that enters a block"
    annotation(Icon(graphics={Polygon(points={{-100,100},{100,0},{-100,-100}}, lineColor={255,127,0}, fillColor={255,127,0}, fillPattern=FillPattern.Solid)}));
  connector IntegerOutput = output Integer "Integer signal that leaves a block"
    annotation(Icon(graphics={Polygon(points={{-100,100},{100,0},{-100,-100}}, lineColor={255,127,0}, fillColor={255,255,255}, fillPattern=FillPattern.Solid)}));
  connector RealVectorInput = input Real "Element of a vector of Real inputs"
    annotation(Icon(graphics={Polygon(points={{-100,100},{100,0},{-100,-100}}, lineColor={0,0,127}, fillColor={0,0,127}, fillPattern=FillPattern.Solid)}));
  connector IntegerVectorInput = input Integer "Element of a vector of Integer inputs"
    annotation(Icon(graphics={Polygon(points={{-100,100},{100,0},{-100,-100}}, lineColor={255,127,0}, fillColor={255,127,0}, fillPattern=FillPattern.Solid)}));
  connector BooleanVectorInput = input Boolean "Element of a vector of Boolean inputs"
    annotation(Icon(graphics={Polygon(points={{-100,100},{100,0},{-100,-100}}, lineColor={255,0,255}, fillColor={255,0,255}, fillPattern=FillPattern.Solid)}));
  connector RealVectorOutput = output Real "Element of a vector of Real outputs"
    annotation(Icon(graphics={Polygon(points={{-100,100},{100,0},{-100,-100}}, lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid)}));

  // Real signals
  partial block SO "One output"
    extends Icons.Block;
    RealOutput y "Output"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  end SO;

  partial block MO "Vector of outputs"
    extends Icons.Block;
    parameter Integer nout(min=1) = 1 "Size of y";
    RealOutput y[nout] "Outputs"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  end MO;

  partial block SISO "One input, one output"
    extends Icons.Block;
    RealInput u "Input"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    RealOutput y "Output"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  end SISO;

  partial block SI2SO "Two inputs, one output"
    extends Icons.Block;
    RealInput u1 "First input"
      annotation(Placement(transformation(extent={{-140,40},{-100,80}})));
    RealInput u2 "Second input"
      annotation(Placement(transformation(extent={{-140,-80},{-100,-40}})));
    RealOutput y "Output"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  end SI2SO;

  partial block SIMO "One input, vector of outputs"
    extends Icons.Block;
    parameter Integer nout = 1 "Size of y";
    RealInput u "Input"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    RealOutput y[nout] "Outputs"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  end SIMO;

  partial block MISO "Vector of inputs, one output"
    extends Icons.Block;
    parameter Integer nin = 1 "Size of u";
    RealInput u[nin] "Inputs"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    RealOutput y "Output"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  end MISO;

  partial block PartialRealMISO "Any number of inputs, one output"
    parameter Integer significantDigits(min=1) = 3 "Digits shown by a graphical editor";
    parameter Integer nu(min=0) = 0 "Number of inputs" annotation(Dialog(connectorSizing=true));
    RealVectorInput u[nu] "Inputs"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    RealOutput y "Output"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  end PartialRealMISO;

  partial block MIMO "Vector of inputs, vector of outputs"
    extends Icons.Block;
    parameter Integer nin = 1 "Size of u";
    parameter Integer nout = 1 "Size of y";
    RealInput u[nin] "Inputs"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    RealOutput y[nout] "Outputs"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  end MIMO;

  partial block MIMOs "Vectors of inputs and outputs of one size"
    extends Icons.Block;
    parameter Integer n = 1 "Size of u and y";
    RealInput u[n] "Inputs"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    RealOutput y[n] "Outputs"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  end MIMOs;

  partial block MI2MO "Two vectors of inputs, one of outputs"
    extends Icons.Block;
    parameter Integer n = 1 "Size of u1, u2 and y";
    RealInput u1[n] "First inputs"
      annotation(Placement(transformation(extent={{-140,40},{-100,80}})));
    RealInput u2[n] "Second inputs"
      annotation(Placement(transformation(extent={{-140,-80},{-100,-40}})));
    RealOutput y[n] "Outputs"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  end MI2MO;

  partial block SignalSource "Source with offset and start time"
    extends SO;
    parameter Real offset = 0 "Added to the signal";
    parameter SI.Time startTime = 0 "The signal is the offset before this time";
  end SignalSource;

  partial block SVcontrol "Controller of one variable"
    extends Icons.Block;
    RealInput u_s "Setpoint"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    RealInput u_m "Measurement"
      annotation(Placement(transformation(origin={0,-120}, extent={{-20,-20},{20,20}}, rotation=90)));
    RealOutput y "Actuation"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  end SVcontrol;

  partial block MVcontrol "Controller of several variables"
    extends Icons.Block;
    parameter Integer nu_s = 1 "Number of setpoints";
    parameter Integer nu_m = 1 "Number of measurements";
    parameter Integer ny = 1 "Number of actuations";
    RealInput u_s[nu_s] "Setpoints"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    RealInput u_m[nu_m] "Measurements"
      annotation(Placement(transformation(origin={0,-120}, extent={{-20,-20},{20,20}}, rotation=90)));
    RealOutput y[ny] "Actuations"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
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
    RealInput u "Input"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    RealOutput y "Output"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  end DiscreteSISO;

  partial block DiscreteMIMO "Sampled block with vectors of inputs and outputs"
    extends DiscreteBlock;
    parameter Integer nin = 1 "Size of u";
    parameter Integer nout = 1 "Size of y";
    RealInput u[nin] "Inputs"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    RealOutput y[nout] "Outputs"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  end DiscreteMIMO;

  partial block DiscreteMIMOs "Sampled block with vectors of one size"
    parameter Integer n = 1 "Size of u and y";
    extends DiscreteBlock;
    RealInput u[n] "Inputs"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    RealOutput y[n] "Outputs"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  end DiscreteMIMOs;

  partial block SVdiscrete "Sampled controller of one variable"
    extends DiscreteBlock;
    RealInput u_s "Setpoint"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    RealInput u_m "Measurement"
      annotation(Placement(transformation(origin={0,-120}, extent={{-20,-20},{20,20}}, rotation=90)));
    RealOutput y "Actuation"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
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
    RealInput u_s[nu_s] "Setpoints"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    RealInput u_m[nu_m] "Measurements"
      annotation(Placement(transformation(origin={0,-120}, extent={{-20,-20},{20,20}}, rotation=90)));
    RealOutput y[ny] "Actuations"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
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
    BooleanInput u "Input"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    BooleanOutput y "Output"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  end BooleanSISO;

  partial block BooleanMIMOs "Boolean vectors of one size"
    extends Icons.BooleanBlock;
    parameter Integer n = 1 "Size of u and y";
    BooleanInput u[n] "Inputs"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    BooleanOutput y[n] "Outputs"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  end BooleanMIMOs;

  partial block MI2BooleanMOs "Two Real vectors in, a Boolean vector out"
    extends Icons.BooleanBlock;
    parameter Integer n = 1 "Size of u1, u2 and y";
    RealInput u1[n] "First inputs"
      annotation(Placement(transformation(extent={{-140,40},{-100,80}})));
    RealInput u2[n] "Second inputs"
      annotation(Placement(transformation(extent={{-140,-80},{-100,-40}})));
    BooleanOutput y[n] "Outputs"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  end MI2BooleanMOs;

  partial block SI2BooleanSO "Two Boolean inputs, one Boolean output"
    extends Icons.BooleanBlock;
    BooleanInput u1 "First input"
      annotation(Placement(transformation(extent={{-140,40},{-100,80}})));
    BooleanInput u2 "Second input"
      annotation(Placement(transformation(extent={{-140,-80},{-100,-40}})));
    BooleanOutput y "Output"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  end SI2BooleanSO;

  partial block BooleanSignalSource "Boolean source"
    extends Icons.BooleanBlock;
    BooleanOutput y "Output"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  end BooleanSignalSource;

  partial block partialBooleanSISO "Boolean logic with one input"
    extends Icons.PartialBooleanBlock;
    BooleanInput u "Input"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    BooleanOutput y "Output"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  end partialBooleanSISO;

  partial block partialBooleanSI2SO "Boolean logic with two inputs"
    extends Icons.PartialBooleanBlock;
    BooleanInput u1 "First input"
      annotation(Placement(transformation(extent={{-140,40},{-100,80}})));
    BooleanInput u2 "Second input"
      annotation(Placement(transformation(extent={{-140,-80},{-100,-40}})));
    BooleanOutput y "Output"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  end partialBooleanSI2SO;

  partial block partialBooleanSI3SO "Boolean logic with three inputs"
    extends Icons.PartialBooleanBlock;
    BooleanInput u1 "First input"
      annotation(Placement(transformation(extent={{-140,40},{-100,80}})));
    BooleanInput u2 "Second input"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    BooleanInput u3 "Third input"
      annotation(Placement(transformation(extent={{-140,-100},{-100,-60}})));
    BooleanOutput y "Output"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  end partialBooleanSI3SO;

  partial block partialBooleanSI "Boolean sink"
    extends Icons.PartialBooleanBlock;
    BooleanInput u "Input"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
  end partialBooleanSI;

  partial block partialBooleanSO "Boolean output"
    extends Icons.PartialBooleanBlock;
    BooleanOutput y "Output"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  end partialBooleanSO;

  partial block partialBooleanSource "Boolean source for logic blocks"
    extends Icons.PartialBooleanBlock;
    BooleanOutput y "Output"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  end partialBooleanSource;

  partial block partialBooleanThresholdComparison "Real input against a threshold"
    parameter Real threshold = 0 "Value to compare with";
    RealInput u "Input"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    BooleanOutput y "Result"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  end partialBooleanThresholdComparison;

  partial block partialBooleanComparison "Two Real inputs against each other"
    RealInput u1 "First input"
      annotation(Placement(transformation(extent={{-140,40},{-100,80}})));
    RealInput u2 "Second input"
      annotation(Placement(transformation(extent={{-140,-80},{-100,-40}})));
    BooleanOutput y "Result"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  end partialBooleanComparison;

  partial block PartialBooleanSISO_small "One Boolean input, one Boolean output"
    BooleanInput u "Input"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    BooleanOutput y "Output"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  end PartialBooleanSISO_small;

  partial block PartialBooleanMISO "Any number of Boolean inputs, one output"
    parameter Integer nu(min=0) = 0 "Number of inputs" annotation(Dialog(connectorSizing=true));
    BooleanVectorInput u[nu] "Inputs"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    BooleanOutput y "Output"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  end PartialBooleanMISO;

  // Integer signals
  partial block IntegerSO "One Integer output"
    extends Icons.IntegerBlock;
    IntegerOutput y "Output"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  end IntegerSO;

  partial block IntegerMO "Vector of Integer outputs"
    extends Icons.IntegerBlock;
    parameter Integer nout(min=1) = 1 "Size of y";
    IntegerOutput y[nout] "Outputs"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  end IntegerMO;

  partial block IntegerSignalSource "Integer source with offset and start time"
    extends IntegerSO;
    parameter Integer offset = 0 "Added to the signal";
    parameter SI.Time startTime = 0 "The signal is the offset before this time";
  end IntegerSignalSource;

  partial block IntegerSIBooleanSO "One Integer input, one Boolean output"
    extends Icons.BooleanBlock;
    IntegerInput u "Input"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    BooleanOutput y "Output"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  end IntegerSIBooleanSO;

  partial block IntegerMIBooleanMOs "Integer vector in, Boolean vector out"
    extends Icons.BooleanBlock;
    parameter Integer n = 1 "Size of u and y";
    IntegerInput u[n] "Inputs"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    BooleanOutput y[n] "Outputs"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  end IntegerMIBooleanMOs;

  partial block PartialIntegerSISO "One Integer input, one Integer output"
    IntegerInput u "Input"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    IntegerOutput y "Output"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  end PartialIntegerSISO;

  partial block PartialIntegerMISO "Any number of Integer inputs, one output"
    parameter Integer nu(min=0) = 0 "Number of inputs" annotation(Dialog(connectorSizing=true));
    IntegerVectorInput u[nu] "Inputs"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    IntegerOutput y "Output"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  end PartialIntegerMISO;

  partial block PartialConversionBlock "Changes the unit of a signal"
    RealInput u "Signal to convert"
      annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
    RealOutput y "Converted signal"
      annotation(Placement(transformation(extent={{100,-10},{120,10}})));
  end PartialConversionBlock;

  package Adaptors "Physical connectors as signals, with the derivatives that the other side may need"
    partial model FlowToPotentialAdaptor "The flow is an input, the potential and its derivatives are outputs"
      parameter Boolean use_pder = true "Output of the first derivative of the potential" annotation(Evaluate=true);
      parameter Boolean use_pder2 = true "Output of the second derivative of the potential" annotation(Evaluate=true);
      parameter Boolean use_fder = true "Input of the first derivative of the flow" annotation(Evaluate=true);
      parameter Boolean use_fder2 = true "Input of the second derivative of the flow" annotation(Evaluate=true);
      RealOutput p "Potential"
        annotation(Placement(transformation(extent={{100,60},{120,80}})));
      RealOutput pder if use_pder "First derivative of the potential"
        annotation(Placement(transformation(extent={{100,-80},{120,-60}})));
      RealOutput pder2 if use_pder and use_pder2 "Second derivative of the potential"
        annotation(Placement(transformation(extent={{100,25},{120,45}})));
      RealInput f "Flow"
        annotation(Placement(transformation(extent={{-140,-20},{-100,20}})));
      RealInput fder if use_fder "First derivative of the flow"
        annotation(Placement(transformation(extent={{-140,60},{-100,100}})));
      RealInput fder2 if use_fder and use_fder2 "Second derivative of the flow"
        annotation(Placement(transformation(extent={{-140,-100},{-100,-60}})));
    protected
      parameter String Name_p = "p" "Name of the potential";
      parameter String Name_pder = "der(p)" "Name of its first derivative";
      parameter String Name_pder2 = "der2(p)" "Name of its second derivative";
      parameter String Name_f = "f" "Name of the flow";
      parameter String Name_fder = "der(f)" "Name of its first derivative";
      parameter String Name_fder2 = "der2(f)" "Name of its second derivative";
      Real y "Potential of the physical connector";
      RealOutput y1 "First derivative of y, if used"
        annotation(Placement(transformation(extent={{100,50},{120,70}})));
      RealOutput y2 "Second derivative of y, if used"
        annotation(Placement(transformation(extent={{100,-70},{120,-50}})));
      Real u "Flow of the physical connector, with known derivatives";
      RealInput u1 "First derivative of u, if used"
        annotation(Placement(transformation(extent={{-140,40},{-100,80}})));
      RealInput u2 "Second derivative of u, if used"
        annotation(Placement(transformation(extent={{-140,-80},{-100,-40}})));
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
      RealInput p "Potential"
        annotation(Placement(transformation(extent={{-140,60},{-100,100}})));
      RealInput pder if use_pder "First derivative of the potential"
        annotation(Placement(transformation(extent={{-140,-100},{-100,-60}})));
      RealInput pder2 if use_pder and use_pder2 "Second derivative of the potential"
        annotation(Placement(transformation(extent={{-140,20},{-100,60}})));
      RealOutput f "Flow"
        annotation(Placement(transformation(origin={0,-110}, extent={{-10,-10},{10,10}}, rotation=-90)));
      RealOutput fder if use_fder "First derivative of the flow"
        annotation(Placement(transformation(extent={{100,60},{120,80}})));
      RealOutput fder2 if use_fder and use_fder2 "Second derivative of the flow"
        annotation(Placement(transformation(extent={{100,-80},{120,-60}})));
    protected
      parameter String Name_p = "p" "Name of the potential";
      parameter String Name_pder = "der(p)" "Name of its first derivative";
      parameter String Name_pder2 = "der2(p)" "Name of its second derivative";
      parameter String Name_f = "f" "Name of the flow";
      parameter String Name_fder = "der(f)" "Name of its first derivative";
      parameter String Name_fder2 = "der2(f)" "Name of its second derivative";
      Real y "Flow of the physical connector";
      RealOutput y1 "First derivative of the flow output, if used"
        annotation(Placement(transformation(extent={{100,50},{120,70}})));
      RealOutput y2 "Second derivative of the flow output, if used"
        annotation(Placement(transformation(extent={{100,-70},{120,-50}})));
      Real u "Potential of the physical connector, with known derivatives";
      RealInput u1 "First derivative of u, if used"
        annotation(Placement(transformation(extent={{-140,40},{-100,80}})));
      RealInput u2 "Second derivative of u, if used"
        annotation(Placement(transformation(extent={{-140,-80},{-100,-40}})));
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
