// Semiconductors.SimpleTriac at 10 V over 10 Ohm: one thyristor blocks backwards, the other one is fired and then conducts
// with Ron = (VTM - 0.7)/ITM = 0.04 Ohm.
model TriacTest
  import Modelica.Electrical.Analog.*;
  Sources.ConstantVoltage v(V=10);
  Sources.PulseCurrent gate(I=-10e-3, width=20, period=1, startTime=1e-4);
  Basic.Ground ground;
  Basic.Resistor r(R=10);
  Semiconductors.SimpleTriac triac;
equation
  connect(v.n, ground.p); connect(v.p, r.p); connect(r.n, triac.p); connect(triac.n, ground.p);
  connect(gate.p, triac.g); connect(gate.n, ground.p);
  when time >= 0.9e-4 then
    assert(abs(r.i) < 1e-3, "blocking, but for the leakage of the gate diodes");
  end when;
  when terminal() then
    assert(abs(r.i - 10/10.04) < 1e-3, "conducting");
  end when;
  annotation(experiment(StopTime=1e-3));
end TriacTest;
