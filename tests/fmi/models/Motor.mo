model Motor "Series-wound motor with saturation and a fan"
  input Real u(start=20);
  parameter Real R = 0.5; parameter Real L0 = 0.05; parameter Real k = 0.3; parameter Real isat = 8;
  parameter Real J = 0.02; parameter Real cf = 1e-3;
  Real i(start=3, fixed=true); Real w(start=12, fixed=true); Real phi;
  output Real tau;
equation
  phi = isat*tanh(i/isat);
  tau = k*phi*i;
  (L0/(1 + (i/isat)^2))*der(i) = u - R*i - k*phi*w;
  J*der(w) = tau - cf*w*abs(w) - 0.01*sin(w);
end Motor;
