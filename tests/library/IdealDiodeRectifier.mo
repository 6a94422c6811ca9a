// Half-wave rectifier with ideal diode into a resistor: the mean of the voltage is V/pi; with a knee of V/2 the diode
// conducts while sin > 1/2, so the mean is the integral of sin - 1/2 from pi/6 to 5 pi/6 over 2 pi.
model IdealDiodeRectifier
  import Modelica.Electrical.Analog.*;
  import Modelica.Constants.pi;
  Sources.SineVoltage v(V=1, f=1);
  Basic.Ground ground;
  Ideal.IdealDiode plain(Ron=0, Goff=0);
  Ideal.IdealDiode knee(Ron=0, Goff=0, Vknee=0.5);
  Basic.Resistor r1(R=1);
  Basic.Resistor r2(R=1);
  Real i[2](each start=0, each fixed=true);
equation
  connect(v.n, ground.p); connect(v.p, plain.p); connect(plain.n, r1.p); connect(r1.n, ground.p);
  connect(v.p, knee.p); connect(knee.n, r2.p); connect(r2.n, ground.p);
  der(i) = {r1.v, r2.v};
  when terminal() then
    assert(abs(i[1] - 2/pi) < 1e-4, "IdealDiode");
    assert(abs(i[2] - 2*(2*cos(pi/6) - pi/3)/(2*pi)) < 1e-4, "IdealDiode with knee");
  end when;
  annotation(experiment(StopTime=2));
end IdealDiodeRectifier;
