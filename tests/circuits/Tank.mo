model Tank "Begins empty: the slope of the outflow is infinite there"
  Real h(start = 0, fixed = true);
equation
  der(h) = 1 - sqrt(h);
end Tank;
