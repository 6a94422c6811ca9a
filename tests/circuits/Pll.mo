model Pll "Phase-locked loop: multiplier, lag, controlled oscillator"
  parameter Real w0 = 2*Modelica.Constants.pi*50 "Rest frequency of the oscillator";
  parameter Real w = 2*Modelica.Constants.pi*51 "Frequency of the signal";
  parameter Real K = 120 "Gain of the oscillator";
  Real phase(start = 0.5, fixed = true), lag(start = 0, fixed = true), sum(start = 0, fixed = true);
  Integer turns(start = 0, fixed = true);
  output Real error = sin(w*time)*cos(w0*time + phase);
equation
  der(lag) = 200*(2*error - lag);
  der(sum) = 20*lag;
  der(phase) = K*lag + sum;
  when phase > 2 + pre(turns) then
    turns = pre(turns) + 1;
  end when;
end Pll;
