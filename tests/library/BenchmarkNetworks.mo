// Steady state of a chain of orifices: all carry q = K sqrt(p1 - p2), so the pressures fall as 1/A^2:
// q = sqrt(p/sum(1/K_i^2)). The acausal and the wave form must agree with that.
model BenchmarkNetworks "Hydraulic chains in steady state; lumped line and reaction front stay bounded"
  constant Integer N = 5;
  Ferrica.Benchmarks.HydraulicNetwork waves(N=N, V=fill(1e-5, N));
  Ferrica.Benchmarks.HydraulicNetworkODE lumped(N=N, V=fill(1e-5, N));
  Ferrica.Benchmarks.LCLine line(N=20) "Without loss: energy sum x^2 stays what the pulse put in";
  Real energy(start=0, fixed=true) "Energy after the pulse";
  Real q_exact = sqrt(1e7/sum(1/(0.67*1e-5*(1 + 0.5*sin(i))*sqrt(2/870))^2 for i in 1:N + 1)) "Closed form";
equation
  when time >= 1 then
    energy = line.x*line.x;
  end when;
  when terminal() then
    assert(abs(waves.orifice[3].q/q_exact - 1) < 1e-4, "Wave form");
    assert(abs(lumped.orifice[3].q/q_exact - 1) < 1e-4, "Acausal form");
    assert(abs(line.x*line.x - energy) < 1e-4, "Energy of the line");
  end when;
  annotation(experiment(StopTime=4, Interval=1e-2, Tolerance=1e-8));
end BenchmarkNetworks;
