// A bridge of four exponential diodes rectifies 100 V at 5 Hz into a resistor and an inductor.
// Look for: L1.i never reverses and its ripple has twice the frequency of the source; D1.i and D2.i take turns.
// The diodes carry 9 A at 1.43 V and 1 fA in reverse: sixteen orders of magnitude in one equation system.
model Rectifier "Full-wave rectifier with Shockley diodes"
  model Diode "Exponential junction with 1 mOhm in series"
    extends Modelica.Electrical.Analog.Interfaces.OnePort;
    parameter Modelica.Units.SI.Current Is = 1e-15 "Saturation current";
    parameter Modelica.Units.SI.Voltage nVt = 1.5*1.380649e-23*300/1.602176634e-19 "Ideality factor times kT/q";
    parameter Modelica.Units.SI.Resistance Rs = 1e-3 "Series resistance";
    Modelica.Units.SI.Voltage vd(start=0) "Voltage of the junction";
  equation
    i = Is*((if noEvent(vd < 60*nVt) then exp(noEvent(min(vd/nVt, 60))) else exp(60)*(vd/nVt - 59)) - 1);
    v = vd + Rs*i;
  end Diode;
  Modelica.Electrical.Analog.Sources.SineVoltage E1(V=100, f=5);
  Diode D1 "Source + to load +";
  Diode D2 "Source - to load +";
  Diode D3 "Load - to source +";
  Diode D4 "Load - to source -";
  Modelica.Electrical.Analog.Basic.Resistor R1(R=10);
  Modelica.Electrical.Analog.Basic.Inductor L1(L=0.1, i(start=0, fixed=true));
  Modelica.Electrical.Analog.Basic.Ground ground;
equation
  connect(E1.n, ground.p);
  connect(E1.p, D1.p);
  connect(E1.n, D2.p);
  connect(D1.n, R1.p);
  connect(D2.n, R1.p);
  connect(R1.n, L1.p);
  connect(L1.n, D3.p);
  connect(L1.n, D4.p);
  connect(D3.n, E1.p);
  connect(D4.n, E1.n);
  annotation(experiment(StopTime=1, Interval=0.001));
end Rectifier;
