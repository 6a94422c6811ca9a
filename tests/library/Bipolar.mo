// Transistors at constant voltages: base-emitter 0.65 V, base-collector 0: collector current Is (exp(0.65/Vt) - 1),
// base current 1/Bf of it. The pnp transistor mirrors the npn one.
model Bipolar
  import Modelica.Electrical.Analog.*;
  Sources.ConstantVoltage plus(V=0.65);
  Sources.ConstantVoltage minus(V=-0.65);
  Basic.Ground ground;
  Semiconductors.NPN npn;
  Semiconductors.PNP pnp;
  constant Real ic = 1e-16*(exp(0.65/0.02585) - 1) + 0.65e-15;
equation
  connect(plus.n, ground.p); connect(minus.n, ground.p);
  connect(npn.B, plus.p); connect(npn.C, plus.p); connect(npn.E, ground.p);
  connect(pnp.B, minus.p); connect(pnp.C, minus.p); connect(pnp.E, ground.p);
  when terminal() then
    assert(abs(npn.C.i - ic) < 1e-9*ic and abs(npn.B.i - ic/50) < 1e-9*ic, "NPN");
    assert(abs(npn.E.i + ic*1.02) < 1e-9*ic, "NPN, emitter");
    assert(abs(pnp.C.i + ic) < 1e-9*ic and abs(pnp.B.i + ic/50) < 1e-9*ic, "PNP");
  end when;
end Bipolar;
