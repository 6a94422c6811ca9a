// run: --solver euler --step 1e-4
// Independent reference run on the grid of the delay, T = 1e-4 s.
model BenchmarkReliefInline "Relief valve, DerInline.DelayEuler, against reference values"
  extends Ferrica.Benchmarks.ReliefValve.DerInline.DelayEuler;
equation
  when terminal() then
    assert(abs(hydr.left.p - 10005687.9128653) < 20, "Pressure");
    assert(abs(hydr.x - 1.89689042298616e-06) < 1e-10, "Opening");
  end when;
  annotation(experiment(StopTime=2, Interval=1e-4));
end BenchmarkReliefInline;
