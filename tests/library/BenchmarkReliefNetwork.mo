// run: --solver rk4 --step 1e-4
// Steady state by Kirchhoff: at each volume the flow in equals the flow out plus the flow of the relief valve,
// which is x q_nom sqrt(p/dp_nom) with x = (p - p_set)/dp_open between 0 and 1.
model BenchmarkReliefNetwork "Chain with relief valves in steady state"
  constant Integer N = 4;
  Ferrica.Benchmarks.HydraulicNetworkRelief chain(N=N, V=fill(1e-3, N));
  Ferrica.TLM.HydraulicPipe pipe(L=1, D=0.01, rho=1000, beta=1e9);
  Ferrica.Hydraulics.Sources.FlowSource source(q=1e-4);
  Ferrica.Hydraulics.Restrictions.LaminarOrifice end_(G=1e-11);
  Ferrica.Hydraulics.Sources.Tank tank;
equation
  connect(source.port, pipe.port_a);
  connect(pipe.port_b, end_.port_a);
  connect(end_.port_b, tank.port);
  when terminal() then
    for i in 1:N loop
      assert(abs(chain.orifice[i].q - chain.orifice[i + 1].q - chain.relief[i].q) < 1e-8, "Balance of a volume");
      assert(abs(chain.relief[i].q
        - max(0, min(1, (chain.volume[i].p - 5e6)/5e5))*1e-5*sqrt(chain.volume[i].p/1e6)) < 1e-8, "Relief valve");
    end for;
    assert(abs(end_.q - 1e-4) < 1e-7, "Flow through a pipe");
  end when;
  annotation(experiment(StopTime=2, Interval=1e-2));
end BenchmarkReliefNetwork;
