// Values at the end of the independent reference solutions (accuracy 4e-13 RLC, 2e-11 ladders).
model BenchmarkCircuits "RLC circuit and ladders against reference values"
  Ferrica.Benchmarks.RLC rlc;
  Ferrica.Benchmarks.ScalableRLC two(N=2);
  Ferrica.Benchmarks.ScalableRLC hundred(N=100);
equation
  when terminal() then
    assert(abs(two.C[2].v - (0.3890850393350541)) < 1e-5, "Ladder N = 2, last capacitor");
    assert(abs(two.L[2].i - (1.6514220802606638)) < 1e-5, "Ladder N = 2, last current");
    assert(abs(hundred.C[1].v - (-1.7132869726061764)) < 1e-5, "Ladder N = 100, first capacitor");
    assert(abs(hundred.L[1].i - (-3.8714257130631067)) < 1e-5, "Ladder N = 100, first current");
    assert(abs(rlc.V3 - (-0.8239415253306692)) < 1e-5, "RLC, voltage");
    assert(abs(rlc.L1.i - (-0.9837435539888357)) < 1e-5, "RLC, current");
  end when;
  annotation(experiment(StopTime=1, Tolerance=1e-9));
end BenchmarkCircuits;
