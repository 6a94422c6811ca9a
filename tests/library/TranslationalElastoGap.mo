// Closed form: free flight at 1 m/s to the wall at 0.5 m (t = 0.5), half a period pi/10 in contact with the
// undamped spring (c = 100, m = 1), then free flight back: s(1) = 0.5 - (0.5 - pi/10).
model TranslationalElastoGap "Bounce off an elastic wall"
  import Modelica.Mechanics.Translational.Components.*;
  Mass mass(m=1, s(start=0, fixed=true), v(start=1, fixed=true));
  ElastoGap gap(c=100, d=0);
  Fixed wall(s0=0.5);
equation
  connect(mass.flange_b, gap.flange_a);
  connect(gap.flange_b, wall.flange);
  when terminal() then
    assert(abs(mass.s - Modelica.Constants.pi/10) < 1e-4, "Position after the bounce");
    assert(abs(mass.v + 1) < 1e-4, "Velocity after the bounce");
  end when;
  annotation(experiment(StopTime=1, Tolerance=1e-8));
end TranslationalElastoGap;
