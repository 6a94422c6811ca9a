// FilterStep: all patterns have unit gain at rest.
// built-in only: an example of ours
model ExampleFilters
  extends Modelica.Blocks.Examples.FilterStep;
equation
  when terminal() then
    assert(abs(critical.y - 1) < 2e-2 and abs(bessel.y - 1) < 2e-2 and abs(butterworth.y - 1) < 2e-2
      and abs(chebyshev.y - 1) < 5e-2, "step responses settle at 1");
  end when;
  annotation(experiment(StopTime=0.9));
end ExampleFilters;
