// Values at t = 1 s of the independent reference solution (accuracy 2e-8).
model BenchmarkRectifier "Rectifier with Shockley diodes against reference values"
  extends Ferrica.Benchmarks.Rectifier;
equation
  when terminal() then
    assert(abs(L1.i - (2.57894589302426)) < 1e-4, "Load current");
    assert(abs(D1.vd - (1.34920332912961)) < 1e-4, "Junction voltage of D1");
  end when;
  annotation(experiment(StopTime=1, Interval=0.001, Tolerance=1e-8));
end BenchmarkRectifier;
