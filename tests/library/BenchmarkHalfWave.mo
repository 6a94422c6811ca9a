// Value at t = 1 s of the independent reference solution: 7.72387099183 V.
model BenchmarkHalfWave "Half-wave rectifier against the reference value"
  extends Ferrica.Benchmarks.HalfWave;
equation
  when terminal() then
    assert(abs(C1.v - (7.72387099182539)) < 1e-5, "Capacitor");
  end when;
  annotation(experiment(StopTime=1, Tolerance=1e-8));
end BenchmarkHalfWave;
