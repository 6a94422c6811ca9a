// A capacitor behind a pair of adaptors behaves as a capacitor: v = V (1 - exp(-t/(R C))).
model SignalAdaptors
  import Modelica.Electrical.Analog.*;
  Sources.ConstantVoltage v(V=10);
  Basic.Resistor r(R=1000);
  Basic.Ground ground;
  Basic.Ground ground2;
  Basic.GeneralVoltageToCurrentAdaptor toCurrent(use_pder=false, use_fder=false);
  Basic.GeneralCurrentToVoltageAdaptor toVoltage(use_pder=false, use_fder=false);
  Basic.Capacitor c(C=1e-3, v(start=0, fixed=true));
equation
  connect(v.n, ground.p); connect(v.p, r.p); connect(r.n, toCurrent.pin_p); connect(toCurrent.pin_n, ground.p);
  connect(toCurrent.f, toVoltage.f); connect(toVoltage.p, toCurrent.p);
  connect(toVoltage.pin_p, c.p); connect(toVoltage.pin_n, c.n); connect(c.n, ground2.p);
  when terminal() then
    assert(abs(c.v - 10*(1 - exp(-1))) < 1e-4, "capacitor behind adaptors");
    assert(abs(toCurrent.v - c.v) < 1e-9 and abs(toVoltage.i + c.i) < 1e-9, "adaptors pass voltage and current");
  end when;
end SignalAdaptors;
