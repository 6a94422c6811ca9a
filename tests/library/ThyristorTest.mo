// Semiconductors.Thyristor at 10 V over 10 Ohm: blocks with Roff before the gate pulse, then stays on with
// i = 10/(10 + Ron), Ron = (VTM - 0.7)/ITM = 0.04 Ohm; the triac does the same.
model ThyristorTest
  import Modelica.Electrical.Analog.*;
  Sources.ConstantVoltage v(V=10);
  Sources.PulseCurrent gate(I=-10e-3, width=20, period=1, startTime=1e-4);
  Basic.Ground ground;
  Basic.Resistor r(R=10);
  Semiconductors.Thyristor thyristor(vControl(start=0, fixed=true));
equation
  connect(v.n, ground.p); connect(v.p, r.p); connect(r.n, thyristor.Anode); connect(thyristor.Cathode, ground.p);
  connect(gate.p, thyristor.Gate); connect(gate.n, ground.p);
  when time >= 0.9e-4 then
    assert(abs(r.i - 10/(10 + 100^2/1.7/6e-3)) < 1e-6, "blocking");
  end when;
  when terminal() then
    assert(abs(r.i - 10/10.04) < 1e-4, "conducting");
  end when;
  annotation(experiment(StopTime=1e-3));
end ThyristorTest;
