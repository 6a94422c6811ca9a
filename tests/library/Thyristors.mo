// One period of a sine with 1 V, fired at a quarter of the period: thyristor conducts from 1/4 to 1/2: integral 1/(2 pi);
// the GTO conducts only while fired, from 1/4 to 3/8: sin(pi/4)/(2 pi); the triac conducts in both half waves.
model Thyristors
  import Modelica.Electrical.Analog.*;
  import Modelica.Constants.pi;
  Sources.SineVoltage v(V=1, f=1);
  Basic.Ground ground;
  Ideal.IdealThyristor thyristor(Ron=1e-9, Goff=1e-9);
  Ideal.IdealGTOThyristor gto(Ron=1e-9, Goff=1e-9);
  Ideal.IdealTriac triac(Ron=1e-9, Goff=1e-9, Vknee=0, Rdis=1e9, Cdis=1e-9);
  Basic.Resistor r1(R=1);
  Basic.Resistor r2(R=1);
  Basic.Resistor r3(R=1);
  Real i[3](each start=0, each fixed=true);
initial equation
  triac.capacitor.v = 0;
equation
  thyristor.fire = time > 0.25 and time < 0.375;
  gto.fire = time > 0.25 and time < 0.375;
  triac.fire1 = time > 0.25 and time < 0.375 or time > 0.75 and time < 0.875;
  connect(v.n, ground.p); connect(v.p, thyristor.p); connect(thyristor.n, r1.p); connect(r1.n, ground.p);
  connect(v.p, gto.p); connect(gto.n, r2.p); connect(r2.n, ground.p);
  connect(v.p, triac.p); connect(triac.n, r3.p); connect(r3.n, ground.p);
  der(i) = {r1.v, r2.v, r3.v^2};
  when terminal() then
    assert(abs(i[1] - 1/(2*pi)) < 1e-4, "IdealThyristor");
    assert(abs(i[2] - sin(pi/4)/(2*pi)) < 1e-4, "IdealGTOThyristor");
    assert(abs(i[3] - 0.25) < 1e-4, "IdealTriac: half of the power of the full wave");
  end when;
end Thyristors;
