// SaturatingInductor at 1 V from rest: Psi = t. With Psi(i) given, the flux at nominal current is Lnom*Inom: at t = Lnom*Inom
// the current is Inom, for any parameters.
model SaturatingCoil
  import Modelica.Electrical.Analog.*;
  Sources.ConstantVoltage v(V=1);
  Basic.Ground ground;
  Basic.SaturatingInductor l(Inom=2, Lnom=0.5, Lzer=1.5, Linf=0.1, i(start=0, fixed=true));
equation
  connect(v.n, ground.p); connect(v.p, l.p); connect(l.n, ground.p);
  when terminal() then
    assert(abs(l.Psi - 1) < 1e-5, "flux");
    assert(abs(l.i - 2) < 1e-3, "nominal current");
    assert(abs(l.Lact - 0.5) < 1e-3, "nominal inductance");
  end when;
end SaturatingCoil;
