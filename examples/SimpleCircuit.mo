// A resistor and a capacitor under an alternating voltage: the first circuit of every Modelica course.
// Look for: 20 equations shrink to one state, C.v. After about 0.5 s (five times R*C) the capacitor follows the
// source sin(t) with amplitude 1/sqrt(1 + (R*C)^2) = 0.995 and a lag of atan(R*C) = 0.0997 s.
model SimpleCircuit "RC circuit under alternating voltage"
  Modelica.Electrical.Analog.Sources.SineVoltage AC(V=1, f=1/(2*Modelica.Constants.pi)) "sin(t)";
  Modelica.Electrical.Analog.Basic.Resistor R(R=10);
  Modelica.Electrical.Analog.Basic.Capacitor C(C=0.01, v(start=0, fixed=true));
  Modelica.Electrical.Analog.Basic.Ground G;
equation
  connect(AC.p, R.p);
  connect(R.n, C.p);
  connect(C.n, AC.n);
  connect(AC.n, G.p);
  annotation(experiment(StopTime=10, Interval=0.02));
end SimpleCircuit;
