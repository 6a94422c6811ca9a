// compare: V[1] V[3] w[2] s[4]
model NeuronRing "Four adaptive exponential neurons in a ring, tied by synapses: what passes a threshold is magnified"
  constant Integer n = 4;
  parameter Real C = 281, gL = 30, EL = -70.6, VT = -50.4, dT = 2, tau = 144, a = 4, b = 80.5, ts = 10;
  Real V[n](each start = -70.6, each fixed = true), w[n](each start = 0, each fixed = true), s[n](each start = 0, each fixed = true);
equation
  for k in 1:n loop
    C*der(V[k]) = -gL*(V[k] - EL) + gL*dT*exp((V[k] - VT)/dT) - w[k] + 700 + 60*k + 150*s[mod(k, n) + 1];
    tau*der(w[k]) = a*(V[k] - EL) - w[k];
    ts*der(s[k]) = -s[k];
    when V[k] > -30 then
      reinit(V[k], EL);
      reinit(w[k], pre(w[k]) + b);
      reinit(s[k], pre(s[k]) + 1);
    end when;
  end for;
  annotation(experiment(StopTime = 150, Interval = 0.07));
end NeuronRing;
