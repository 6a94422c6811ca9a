model RLC
  input Real u(start=1);
  parameter Real R = 10; parameter Real L = 0.1; parameter Real C = 1e-3;
  Real i(start=0, fixed=true); Real v(start=0.5, fixed=true);
  output Real p = R*i^2;
equation
  L*der(i) = u - R*i - v;
  C*der(v) = i;
end RLC;
