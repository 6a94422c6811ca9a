// run: --solver bdf
// Steady state of the independent reference solutions: p = 10 005 690.7 Pa, x = 1.89689326e-6 m.
model BenchmarkReliefDelay "Relief valve, DerBuiltin.DelayDassl, against reference values"
  extends Ferrica.Benchmarks.ReliefValve.DerBuiltin.DelayDassl;
equation
  when terminal() then
    assert(abs(hydr.left.p - 10005690.7) < 20.0, "Pressure");
    assert(abs(hydr.x - 1.89689326e-06) < 1e-10, "Opening");
  end when;
  annotation(experiment(StopTime=2, Interval=1e-4, Tolerance=1e-8));
end BenchmarkReliefDelay;
