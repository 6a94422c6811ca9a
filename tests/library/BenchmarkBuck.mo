// Values at t = 10 ms of the independent reference solution.
model BenchmarkBuck "Switching converter against reference values"
  extends Ferrica.Benchmarks.Buck;
equation
  when terminal() then
    assert(abs(C1.v - (15.7139241656144)) < 1e-4, "Output voltage");
    assert(abs(L1.i - (-7.42791119002228e-05)) < 1e-4, "Inductor current");
  end when;
  annotation(experiment(StopTime=0.01, Tolerance=1e-8));
end BenchmarkBuck;
