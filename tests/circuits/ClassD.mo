model ClassD "Half bridge that follows a sine by its pulse widths, with the filter of a loudspeaker; no switching is on a grid"
  parameter Real V = 30, L = 22e-6, C = 0.47e-6, R = 8, Ron = 0.05;
  Real i(start = 0, fixed = true);
  Real v(start = 0, fixed = true);
  Real carrier = 4*abs(mod(100e3*time, 1) - 0.5) - 1;
  Boolean up = 0.8*sin(2*3.14159265358979*2000*time) > carrier;
equation
  L*der(i) = (if up then V else -V) - Ron*i - v;
  C*der(v) = i - v/R;
end ClassD;
