model FastStart "A capacitor that a junction discharges within nanoseconds"
  Real v(start = 0.9, fixed = true);
equation
  1e-9*der(v) = -1e-12*(exp(v/0.026) - 1) - v/1e4;
end FastStart;
