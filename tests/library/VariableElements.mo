// Elements set by signals at 6 V: i = 6/R, 6 G; Q = C v with C = 1 + t gives i = 6; Psi = L i = 6 t.
model VariableElements
  import Modelica.Electrical.Analog.*;
  Sources.ConstantVoltage v(V=6);
  Basic.Ground ground;
  Basic.VariableResistor r;
  Basic.VariableConductor g;
  Basic.VariableCapacitor c;
  Basic.VariableInductor l(UIC=true);
  Basic.Potentiometer pot(R=100, rConstant=0.25);
  Basic.Potentiometer potInput(R=100, useRinput=true);
  Basic.Resistor load(R=1e9);
  Basic.Resistor load2(R=1e9);
equation
  r.R = 2 + time; g.G = 0.5*time; c.C = 1 + time; l.L = 2 + time; potInput.r = time;
  connect(v.n, ground.p);
  connect(v.p, r.p); connect(r.n, ground.p); connect(v.p, g.p); connect(g.n, ground.p);
  connect(v.p, c.p); connect(c.n, ground.p); connect(v.p, l.p); connect(l.n, ground.p);
  connect(v.p, pot.pin_p); connect(pot.pin_n, ground.p); connect(pot.contact, load.p); connect(load.n, ground.p);
  connect(v.p, potInput.pin_p); connect(potInput.pin_n, ground.p); connect(potInput.contact, load2.p); connect(load2.n, ground.p);
  when terminal() then
    assert(abs(r.i - 2) < 1e-9, "VariableResistor");
    assert(abs(g.i - 3) < 1e-9, "VariableConductor");
    assert(abs(c.i - 6) < 1e-6, "VariableCapacitor");
    assert(abs(l.i - 2) < 1e-4, "VariableInductor");
    assert(abs(load.v - 1.5) < 1e-6 and abs(pot.LossPower - 0.36) < 1e-6, "Potentiometer");
    assert(abs(load2.v - 6) < 1e-6, "Potentiometer with input");
  end when;
end VariableElements;
