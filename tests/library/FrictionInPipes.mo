// A sine of 500 Hz in a blocked pipe with laminar friction that depends on the frequency: the amplitude at its end is 1/|cosh(g L)|, g = s/a/sqrt(1 - 2 J1(z)/(z J0(z))),
// z = j r sqrt(s/nu), 2.655845 by SciPy's Bessel functions. Without friction it would be 1/cos(2 pi 500 L/a) = 2.494; with that of steady flow alone, 2.494.
model FrictionInPipes
  constant Real pi = 3.14159265358979;
  Ferrica.TLM.FrictionPipe pipe(n=5, L=0.5, D=8e-3, beta=1.6e9, rho=870, mu=0.05);
  Ferrica.Hydraulics.Sources.PrescribedPressure drive(p=sin(2*pi*500*time));
  Ferrica.Hydraulics.Sources.Plug wall;
  Real a(start=0, fixed=true) "Fourier integrals over five periods";
  Real b(start=0, fixed=true);
equation
  connect(drive.port, pipe.port_a);
  connect(pipe.port_b, wall.port);
  der(a) = if time > 0.03 then wall.port.p*cos(2*pi*500*time) else 0;
  der(b) = if time > 0.03 then wall.port.p*sin(2*pi*500*time) else 0;
  when terminal() then
    assert(abs(200*sqrt(a^2 + b^2) - 2.655845) < 0.02, "friction that depends on the frequency");
  end when;
  annotation(experiment(StopTime=0.04, Interval=1e-4));
end FrictionInPipes;
