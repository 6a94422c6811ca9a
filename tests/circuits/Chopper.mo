model Chopper "Motor behind a chopper of 3.3 kHz with a freewheeling diode of two resistances"
  parameter Real L = 1e-3, R = 1, k = 0.05, J = 1e-4, V = 24, Ron = 1e-3, Roff = 1e5;
  Real i(start = 0, fixed = true);
  Real w(start = 0, fixed = true);
  Real u, switch, diode;
  Boolean on = mod(3300*time, 1) < 0.37;
  Boolean conducts = u < 0;
equation
  L*der(i) = u - R*i - k*w;
  J*der(w) = k*i - 1e-5*w - 0.01;
  switch = (V - u)/(if on then Ron else Roff);
  diode = -u/(if conducts then Ron else Roff);
  i = switch + diode;
end Chopper;
