// compare: v[1] v[2] m[1] h[1] n[2] s[2]
model HodgkinHuxleyPair "Two nerve membranes, tied by synapses; the rates of their channels divide by what vanishes as the voltage passes -40.01 and -55.01"
  Real v[2](start = {-65, -60}, each fixed = true);
  Real m[2](each start = 0.05, each fixed = true), h[2](each start = 0.6, each fixed = true), n[2](each start = 0.32, each fixed = true), s[2](each start = 0, each fixed = true);
equation
  for k in 1:2 loop
    der(v[k]) = (if k == 1 then 10 else 0) - 120*m[k]^3*h[k]*(v[k] - 50) - 36*n[k]^4*(v[k] + 77) - 0.3*(v[k] + 54.4) - 0.4*s[3 - k]*v[k];
    der(m[k]) = 0.1*(v[k] + 40.01)/(1 - exp(-(v[k] + 40.01)/10))*(1 - m[k]) - 4*exp(-(v[k] + 65)/18)*m[k];
    der(h[k]) = 0.07*exp(-(v[k] + 65)/20)*(1 - h[k]) - 1/(1 + exp(-(v[k] + 35)/10))*h[k];
    der(n[k]) = 0.01*(v[k] + 55.01)/(1 - exp(-(v[k] + 55.01)/10))*(1 - n[k]) - 0.125*exp(-(v[k] + 65)/80)*n[k];
    der(s[k]) = 2*(1 - s[k])/(1 + exp(-v[k]/2)) - 0.2*s[k];
  end for;
  annotation(experiment(StopTime = 60, Interval = 0.05));
end HodgkinHuxleyPair;
