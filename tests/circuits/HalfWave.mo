model HalfWave "A bare diode behind an inductance, into a capacitor with load"
  parameter Real L = 1e-3, C = 1e-3, R = 50, Is = 1e-12, Vt = 0.026;
  Real i(start = 0, fixed = true), v(start = 0, fixed = true), vd;
equation
  L*der(i) = 100*sin(314.1592653589793*time) - vd - v;
  i = Is*(exp(vd/Vt) - 1);
  C*der(v) = i - v/R;
end HalfWave;
