// A line with Z = beta T/V behaves at low frequency like the capacity V/beta: the pressure rises by q beta/V.
// A spring line with Z = k T swings with a mass at sqrt(k/(m + k T^2/3)), here 10 rad/s within 1e-4.
model TransmissionLineStorage "Lines in place of volumes and springs"
  Ferrica.Hydraulics.Sources.FlowSource source(q=1e-5);
  Ferrica.TLM.Volume volume(V=1e-3, beta=1e9, T=1e-3);
  Ferrica.Hydraulics.Sources.Plug plug;
  Modelica.Mechanics.Translational.Components.Mass mass(m=1, s(start=0, fixed=true), v(start=1, fixed=true));
  Ferrica.TLM.Spring spring(k=100, T=1e-3, v_start=1, f_start=0);
  Modelica.Mechanics.Translational.Components.Fixed wall;
  Modelica.Mechanics.Rotational.Components.Inertia inertia(J=1, phi(start=0, fixed=true), w(start=1, fixed=true));
  Ferrica.TLM.Shaft shaft(k=100, T=1e-3);
  Modelica.Mechanics.Rotational.Components.Fixed clamp;
equation
  connect(source.port, volume.port_a);
  connect(volume.port_b, plug.port);
  connect(mass.flange_b, spring.flange_a);
  connect(spring.flange_b, wall.flange);
  connect(inertia.flange_b, shaft.flange_a);
  connect(shaft.flange_b, clamp.flange);
  when terminal() then
    // After 100 travelling times the pressure is within one reflection (2 Z q = 2e4 Pa) of q beta/V t = 1e6 Pa.
    assert(abs(volume.port_b.p - 1e7*time) <= 2.0001e4, "Volume as a line");
    assert(abs(mass.s - 0.1*sin(10*time)) < 1e-3, "Spring as a line");
    assert(abs(inertia.phi - 0.1*sin(10*time)) < 1e-3, "Shaft as a line");
  end when;
  annotation(experiment(StopTime=0.1, Interval=1e-3, Tolerance=1e-8));
end TransmissionLineStorage;
