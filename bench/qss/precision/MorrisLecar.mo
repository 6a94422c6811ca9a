// compare: v[1] w[1] v[3] w[3] s[2]
model MorrisLecar "Three neurons of Morris and Lecar in a ring"
  parameter Integer n=3;
  Real v[n](start={-40,-20,5}, each fixed=true), w[n](start={0.0,0.1,0.2}, each fixed=true), s[n](each start=0, each fixed=true);
  Real m[n], winf[n], tau[n];
equation
  for k in 1:n loop
    m[k] = 0.5*(1+tanh((v[k]+1.2)/18)); winf[k] = 0.5*(1+tanh((v[k]-2)/30)); tau[k] = 1/cosh((v[k]-2)/60);
    der(v[k]) = (100 - 4.4*m[k]*(v[k]-120) - 8*w[k]*(v[k]+84) - 2*(v[k]+60) - 0.5*s[mod(k,n)+1]*(v[k]+75))/20;
    der(w[k]) = 0.04*(winf[k]-w[k])/tau[k];
    der(s[k]) = (1-s[k])*0.5/(1+exp(-(v[k]+10)/4)) - 0.1*s[k];
  end for;
  annotation(experiment(StopTime = 300, Interval = 0.5));
end MorrisLecar;
