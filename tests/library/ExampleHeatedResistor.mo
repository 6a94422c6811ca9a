// Examples.Resistor at the peak of 220 V: the temperature rise d solves G d R (1 + alpha d) = V^2 with G = 50, R = 100,
// alpha = 1e-3.
model ExampleHeatedResistor
  extends Modelica.Electrical.Analog.Examples.Resistor;
  parameter Real d = (-5000 + sqrt(5000^2 + 4*5*220^2))/10;
equation
  when time >= 0.25 then
    assert(abs(resistor.T_heatPort - (293.15 + d)) < 1e-3, "temperature at the peak");
  end when;
end ExampleHeatedResistor;
