model Plant "A heated body: the power comes from outside, the temperature goes there"
  input Real power(start = 0) "Heating power in W";
  output Real temperature(start = 20, fixed = true) "Temperature in degC";
  parameter Real C = 50 "Heat capacity in J/K";
  parameter Real G = 2 "Losses in W/K";
equation
  C*der(temperature) = power - G*(temperature - 20);
  annotation(experiment(StopTime = 10, Interval = 0.1));
end Plant;
