// The input of the inverters returns to 0 at 17 s, so all return to their start values (5 and 0.006247);
// the reaction front crosses the whole line (length 10, speed at least 1) within 10 s: every cell is at 1.
model BenchmarkChains "Inverter chain, reaction front and relief network at their end states"
  Ferrica.Benchmarks.InverterChain inverters(N=4);
  Ferrica.Benchmarks.AdvectionReaction front(N=50);
equation
  when terminal() then
    assert(abs(inverters.x[1]) < 1e-3, "Input");
    assert(abs(inverters.x[2] - 5) < 1e-3 and abs(inverters.x[4] - 5) < 1e-3, "High inverters");
    assert(abs(inverters.x[3] - 0.006247) < 1e-5 and abs(inverters.x[5] - 0.006247) < 1e-5, "Low inverters");
    assert(abs(min(front.u) - 1) < 1e-3 and abs(max(front.u) - 1) < 1e-3, "Front");
  end when;
  annotation(experiment(StopTime=60, Tolerance=1e-6));
end BenchmarkChains;
