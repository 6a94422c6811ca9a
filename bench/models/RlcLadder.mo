// A ladder of N loops (R in the upper line, L and C in series to ground) behind a sine source.
model RlcLadder "RLC ladder of standard components"
  parameter Integer N = 1000 "Number of loops";
  Modelica.Electrical.Analog.Sources.SineVoltage E(V=100, f=5);
  Modelica.Electrical.Analog.Basic.Ground ground;
  Modelica.Electrical.Analog.Basic.Resistor R[N](each R=10);
  Modelica.Electrical.Analog.Basic.Inductor L[N](each L=0.1, each i(start=0, fixed=true));
  Modelica.Electrical.Analog.Basic.Capacitor C[N](each C=0.1, each v(start=0, fixed=true));
equation
  connect(E.n, ground.p);
  connect(E.p, R[1].p);
  for k in 1:N loop
    connect(R[k].n, L[k].p);
    connect(L[k].n, C[k].p);
    connect(C[k].n, ground.p);
  end for;
  for k in 1:N - 1 loop
    connect(R[k].n, R[k + 1].p);
  end for;
  annotation(experiment(StopTime=1, Tolerance=1e-6, Interval=0.01));
end RlcLadder;
