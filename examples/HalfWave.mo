// An ideal diode charges a capacitor from 10 V at 50 Hz; 100 Ohm discharge it.
// Look for: the diode switches 100 times in 1 s, each switching is an event that is found exactly;
// C1.v settles between 7.5 V and 8.9 V. Try --solver qss3 or liqss2 as well.
model HalfWave "Half-wave rectifier"
  Modelica.Electrical.Analog.Sources.SineVoltage source(V=10, f=50);
  Modelica.Electrical.Analog.Basic.Resistor R1(R=1);
  Modelica.Electrical.Analog.Ideal.IdealDiode diode(Ron=1e-5, Goff=1e-5, Vknee=0.7);
  Modelica.Electrical.Analog.Basic.Capacitor C1(C=1e-3, v(start=0, fixed=true));
  Modelica.Electrical.Analog.Basic.Resistor load(R=100);
  Modelica.Electrical.Analog.Basic.Ground ground;
equation
  connect(source.n, ground.p);
  connect(source.p, R1.p);
  connect(R1.n, diode.p);
  connect(diode.n, C1.p);
  connect(diode.n, load.p);
  connect(C1.n, ground.p);
  connect(load.n, ground.p);
  annotation(experiment(StopTime=1, Interval=1e-4));
end HalfWave;
