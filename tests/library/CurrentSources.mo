// Each current source drives the signal of the block of the same name from p to n through 1 Ohm, so that v = -i there.
model CurrentSources
  import Modelica.Electrical.Analog.Sources.*;
  import B = Modelica.Blocks.Sources;
  ConstantCurrent constantI(I=2);
  StepCurrent step(I=2, startTime=0.3, offset=1);
  RampCurrent ramp(I=2, duration=0.5, startTime=0.2);
  SineCurrent sine(I=2, f=2, phase=0.4, startTime=0.1, offset=1);
  CosineCurrent cosine(I=2, f=2, phase=0.4, startTime=0.1, offset=1);
  ExpSineCurrent expSine(I=2, f=2, damping=3, startTime=0.1);
  ExponentialsCurrent exponentials(iMax=2, riseTime=0.3, riseTimeConst=0.1, fallTimeConst=0.2);
  PulseCurrent pulse(I=2, width=30, period=0.4);
  SawToothCurrent saw(I=2, period=0.4);
  TrapezoidCurrent trapezoid(I=2, rising=0.1, width=0.1, falling=0.1, period=0.4, nperiod=-1);
  TableCurrent table(table=[0, 0; 0.5, 2; 1, 1]);
  SignalCurrent signal;
  SineCurrentVariableFrequencyAndAmplitude vsine(useConstantFrequency=true, constantFrequency=2, phi(fixed=true));
  CosineCurrentVariableFrequencyAndAmplitude vcosine(useConstantAmplitude=true, constantAmplitude=2, phi(fixed=true));
  B.Step bstep(height=2, startTime=0.3, offset=1);
  B.Ramp bramp(height=2, duration=0.5, startTime=0.2);
  B.Sine bsine(amplitude=2, f=2, phase=0.4, startTime=0.1, offset=1);
  B.Cosine bcosine(amplitude=2, f=2, phase=0.4, startTime=0.1, offset=1);
  B.ExpSine bexpSine(amplitude=2, f=2, damping=3, startTime=0.1);
  B.Exponentials bexponentials(outMax=2, riseTime=0.3, riseTimeConst=0.1, fallTimeConst=0.2);
  B.Pulse bpulse(amplitude=2, width=30, period=0.4);
  B.SawTooth bsaw(amplitude=2, period=0.4);
  B.Trapezoid btrapezoid(amplitude=2, rising=0.1, width=0.1, falling=0.1, period=0.4);
  B.TimeTable btable(table=[0, 0; 0.5, 2; 1, 1]);
  Modelica.Electrical.Analog.Basic.Resistor r[14](each R=1);
  Modelica.Electrical.Analog.Basic.Ground ground;
  Real expected[14] = {2, bstep.y, bramp.y, bsine.y, bcosine.y, bexpSine.y, bexponentials.y, bpulse.y, bsaw.y, btrapezoid.y,
    btable.y, 3*time, time*sin(4*Modelica.Constants.pi*time), 2*cos(2*Modelica.Constants.pi*time)};
  Real d = sum(abs(r[k].v + expected[k]) for k in 1:14) "Sum of all deviations";
equation
  signal.i = 3*time; vsine.I = time; vcosine.f = 1;
  connect(constantI.p, r[1].p); connect(step.p, r[2].p); connect(ramp.p, r[3].p); connect(sine.p, r[4].p);
  connect(cosine.p, r[5].p); connect(expSine.p, r[6].p); connect(exponentials.p, r[7].p); connect(pulse.p, r[8].p);
  connect(saw.p, r[9].p); connect(trapezoid.p, r[10].p); connect(table.p, r[11].p); connect(signal.p, r[12].p);
  connect(vsine.p, r[13].p); connect(vcosine.p, r[14].p);
  connect(constantI.n, ground.p); connect(step.n, ground.p); connect(ramp.n, ground.p); connect(sine.n, ground.p);
  connect(cosine.n, ground.p); connect(expSine.n, ground.p); connect(exponentials.n, ground.p); connect(pulse.n, ground.p);
  connect(saw.n, ground.p); connect(trapezoid.n, ground.p); connect(table.n, ground.p); connect(signal.n, ground.p);
  connect(vsine.n, ground.p); connect(vcosine.n, ground.p);
  for k in 1:14 loop
    connect(r[k].n, ground.p);
  end for;
  when sample(0.005, 0.01) then
    assert(d < 1e-5, "a current source deviates from its block");
  end when;
end CurrentSources;
