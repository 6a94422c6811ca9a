// Pulse, SawTooth, Trapezoid: integrals over 3.5 periods of 1 s from 0.25 s, by the areas of rectangles, triangles and trapezoids.
model PeriodicSources
  import Modelica.Blocks.Sources.*;
  Pulse pulse(amplitude=2, width=25, period=1, offset=1, startTime=0.25);
  Pulse three(amplitude=2, width=25, period=1, nperiod=3, startTime=0.25);
  SawTooth saw(amplitude=2, period=1, startTime=0.25);
  Trapezoid trapezoid(amplitude=2, rising=0.2, width=0.3, falling=0.1, period=1, startTime=0.25);
  Pulse early(amplitude=1, width=50, period=1, startTime=-0.75);
  Real i[5](each start=0, each fixed=true);
equation
  der(i) = {pulse.y, three.y, saw.y, trapezoid.y, early.y};
  when terminal() then
    assert(abs(i[1] - (3.75 + 4*0.5)) < 1e-6, "Pulse");
    assert(abs(i[2] - 3*0.5) < 1e-6, "Pulse with three periods");
    assert(abs(i[3] - (3*1 + 0.25)) < 1e-6, "SawTooth");
    assert(abs(i[4] - (3*2*(0.1 + 0.3 + 0.05) + 2*(0.1 + 0.3))) < 1e-6, "Trapezoid");
    assert(abs(i[5] - 2.0) < 1e-6, "Pulse that began before the start");
  end when;
  annotation(experiment(StopTime=3.75));
end PeriodicSources;
