// A resistor feeds an inductor and two capacitors, all three in parallel, from 100 V at 5 Hz.
// Look for: the two capacitors share one voltage, so only one of them is a state (index reduction; ask for
// "ferrica dump --stage blocks"). L1.p.v rings at 1/(2 pi sqrt(L (C1 + C2))) = 0.65 Hz below the drive.
model RLC "RLC circuit with two capacitors in parallel"
  Modelica.Electrical.Analog.Sources.SineVoltage E1(V=100, f=5);
  Modelica.Electrical.Analog.Basic.Resistor R1(R=10);
  Modelica.Electrical.Analog.Basic.Inductor L1(L=0.1, i(start=0, fixed=true));
  Modelica.Electrical.Analog.Basic.Capacitor C1(C=0.4, v(start=0, fixed=true));
  Modelica.Electrical.Analog.Basic.Capacitor C2(C=0.2);
  Modelica.Electrical.Analog.Basic.Ground ground;
equation
  connect(E1.n, ground.p);
  connect(E1.p, R1.p);
  connect(R1.n, L1.p);
  connect(R1.n, C1.p);
  connect(R1.n, C2.p);
  connect(L1.n, ground.p);
  connect(C1.n, ground.p);
  connect(C2.n, ground.p);
  annotation(experiment(StopTime=10, Interval=0.01));
end RLC;
