// MOS transistors in the three regions; the channel factor is beta = Beta (W + dW)/(L + dL).
// n channel: gate 5 V, drain 1 V and 10 V; gate voltage above threshold is K5 (5 - 0.8). p channel: mirrored.
model FieldEffect
  import Modelica.Electrical.Analog.*;
  Sources.ConstantVoltage g(V=5);
  Sources.ConstantVoltage d1(V=1);
  Sources.ConstantVoltage d10(V=10);
  Sources.ConstantVoltage m1(V=-1);
  Sources.ConstantVoltage m5(V=-5);
  Basic.Ground ground;
  Semiconductors.NMOS linear;
  Semiconductors.NMOS saturated;
  Semiconductors.NMOS off;
  Semiconductors.NMOS swapped;
  Semiconductors.PMOS pLinear;
  constant Real beta = 0.041e-3*17.5/4.5;
  constant Real u = 0.7311*4.2;
  constant Real betaP = 0.0105e-3*17.5/3.9;
  constant Real uP = 0.839*4;
equation
  connect(g.n, ground.p); connect(d1.n, ground.p); connect(d10.n, ground.p); connect(m1.n, ground.p); connect(m5.n, ground.p);
  connect(linear.D, d1.p); connect(linear.G, g.p); connect(linear.S, ground.p); connect(linear.B, ground.p);
  connect(saturated.D, d10.p); connect(saturated.G, g.p); connect(saturated.S, ground.p); connect(saturated.B, ground.p);
  connect(off.D, d10.p); connect(off.G, ground.p); connect(off.S, ground.p); connect(off.B, ground.p);
  connect(swapped.S, d1.p); connect(swapped.G, g.p); connect(swapped.D, ground.p); connect(swapped.B, ground.p);
  connect(pLinear.D, m1.p); connect(pLinear.G, m5.p); connect(pLinear.S, ground.p); connect(pLinear.B, ground.p);
  when terminal() then
    assert(abs(linear.D.i - (beta*(u - 0.5) + 1e-7)) < 1e-12, "NMOS, linear region");
    assert(abs(saturated.D.i - (beta*u^2/2 + 1e-6)) < 1e-12, "NMOS, saturation");
    assert(abs(off.D.i - 1e-6) < 1e-12, "NMOS, off");
    assert(abs(swapped.D.i + linear.D.i) < 1e-12, "NMOS, drain and source exchanged");
    assert(abs(pLinear.D.i + (betaP*(uP - 0.5) + 1e-7)) < 1e-12, "PMOS, linear region");
  end when;
end FieldEffect;
