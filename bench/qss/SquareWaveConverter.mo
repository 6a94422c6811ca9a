// The switching converter with the square wave of Floros, Bergero, Cellier and Kofman: a second-order
// oscillator instead of a pulse source.
model SquareWaveGenerator
  Real x1(start = 0.0, fixed = true);
  Real x2(start = 1.0, fixed = true);
  Boolean pulse(start = true);
  parameter Real freq = 1e4;
equation
  der(x1) = freq*4*x2;
  der(x2) = if x1 < 0 then freq*4 else -freq*4;
  pulse = x1 > 0;
end SquareWaveGenerator;

model SquareWaveConverter
  Modelica.Electrical.Analog.Sources.ConstantVoltage supply(V=24);
  Modelica.Electrical.Analog.Ideal.IdealClosingSwitch switch(Ron=1e-5, Goff=1e-5);
  Modelica.Electrical.Analog.Ideal.IdealDiode diode(Ron=1e-5, Goff=1e-5, Vknee=0);
  Modelica.Electrical.Analog.Basic.Inductor L1(L=1e-4, i(start=0, fixed=true));
  Modelica.Electrical.Analog.Basic.Capacitor C1(C=1e-4, v(start=0, fixed=true));
  Modelica.Electrical.Analog.Basic.Resistor load(R=10);
  Modelica.Electrical.Analog.Basic.Ground ground;
  SquareWaveGenerator gate;
equation
  switch.control = gate.pulse;
  connect(supply.n, ground.p);
  connect(supply.p, switch.p);
  connect(switch.n, L1.p);
  connect(diode.n, L1.p);
  connect(diode.p, ground.p);
  connect(L1.n, C1.p);
  connect(L1.n, load.p);
  connect(C1.n, ground.p);
  connect(load.n, ground.p);
  annotation(experiment(StopTime=0.01, Interval=1e-6));
end SquareWaveConverter;
