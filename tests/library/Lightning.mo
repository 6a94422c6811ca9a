// LightningImpulse: the largest value is the amplitude, and half of it is reached T2 after the virtual start, which is
// 0.1 T1 before the time of 10 %. Checked on both shapes by the definitions.
model Lightning
  import Modelica.Electrical.Analog.*;
  Sources.LightningImpulseVoltage v(V=1, T1=1.2, T2=50, approximation=Types.ImpulseApproximation.DoubleExp);
  Sources.LightningImpulseCurrent i(I=1, T1=10, T2=350);
  Basic.Resistor r1(R=1);
  Basic.Resistor r2(R=1);
  Basic.Ground ground;
  Real vMax(start=0, fixed=true);
  Real iMax(start=0, fixed=true);
  discrete Real t10(start=0, fixed=true);
  discrete Real t50(start=0, fixed=true);
  discrete Real t90(start=0, fixed=true);
equation
  connect(v.p, r1.p); connect(r1.n, ground.p); connect(v.n, ground.p);
  connect(i.p, r2.p); connect(r2.n, ground.p); connect(i.n, ground.p);
  // fast followers of the maximum
  der(vMax) = noEvent(if v.v > vMax then 1e3*(v.v - vMax) else 0);
  der(iMax) = noEvent(if i.i > iMax then 1e3*(i.i - iMax) else 0);
  when i.i > 0.1 then
    t10 = time;
  end when;
  when i.i > 0.9 then
    t90 = time;
  end when;
  when i.i < 0.5 then
    t50 = time;
  end when;
  when terminal() then
    assert(abs(vMax - 1) < 1e-3 and abs(iMax - 1) < 1e-3, "amplitudes");
    assert(abs(t90 - t10 - 8) < 1e-2, "rise time");
    assert(abs(t50 - (t10 - 1 + 350)) < 5e-2, "time to half value");
  end when;
  annotation(experiment(StopTime=400, Tolerance=1e-8));
end Lightning;
