// run: --solver bdf
// Value at t = 10 ms from an independent integration with steps of 5 ns (quasi-static open stages): 10.1944 V.
model BenchmarkConverter "Interleaved converter against an independent integration"
  extends Ferrica.Benchmarks.InterleavedConverter;
equation
  when terminal() then
    assert(abs(uC - 10.1944) < 1e-3, "Output voltage");
    assert(abs(iL[4] - 0.5569) < 1e-3 and abs(iL[1]) < 1e-4, "Currents: the last stage still conducts");
  end when;
  annotation(experiment(StopTime=0.01, Tolerance=1e-7));
end BenchmarkConverter;
