// compare: a b c
model UltrasensitiveSwitches "Three switches of Goldbeter and Koshland in a row: poles a thousandth beyond what the states reach"
  Real a(start=0.5,fixed=true), b(start=0.1,fixed=true), c(start=0.9,fixed=true);
equation
  der(a) = (1+0.8*sin(0.6*time))*(1-a)/(1e-3+1-a) - a/(1e-3+a);
  der(b) = 2*a*(1-b)/(2e-3+1-b) - b/(2e-3+b);
  der(c) = 1.5*b*(1-c)/(1e-3+1-c) - 0.8*c/(1e-3+c);
  annotation(experiment(StopTime = 60, Interval = 0.1));
end UltrasensitiveSwitches;
