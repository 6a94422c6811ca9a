model RC "Charges a capacitor"
  Modelica.Electrical.Analog.Sources.StepVoltage source(V = 5);
  Modelica.Electrical.Analog.Basic.Resistr R(R = 100);
  Modelica.Electrical.Analog.Basic.Capacitor C(C = 1e-3, v(start = 0, fixed = true));
  Modelica.Electrical.Analog.Basic.Ground ground;
  parameter Real gain = 2 "How much";
  Real y = gain*C.v;
equation
  connect(source.p, R.p);
  connect(R.n, C.p);
  connect(C.n, ground.p);
  connect(source.n, ground.p);
end RC;
