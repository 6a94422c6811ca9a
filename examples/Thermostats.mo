// Ten thousand refrigerators, each with its own thermostat, switch on and off by themselves.
// Look for: they start in step (all warm), so the total power swings between everything and nothing;
// because no two are equal they drift apart and the total settles. Local activity in a large model:
// this is what --solver liqss2 is for; bdf has to stop all ten thousand for each of the 20,000 switchings.
// Each switching is a row of the result: ask for the total alone, 30,000 columns would fill gigabytes:
//   ferrica run examples/Thermostats.mo --solver liqss2 --vars power --plot power
model Thermostats "Population of thermostats"
  model Refrigerator "Cooled box with a hysteresis switch"
    parameter Real R(unit="K/W") = 2 "Insulation";
    parameter Real C(unit="J/K") = 500 "Heat capacity";
    parameter Real P(unit="W") = 20 "Cooling power";
    parameter Real T_ambient(unit="degC") = 20 "Temperature outside";
    parameter Real T_low(unit="degC") = 3 "Switches off below";
    parameter Real T_high(unit="degC") = 5 "Switches on above";
    Real T(start=6, fixed=true, unit="degC") "Temperature inside";
    Boolean on(start=true, fixed=true) "true: cooling";
  equation
    C*der(T) = (T_ambient - T)/R - (if on then P else 0);
    when T < T_low then
      on = false;
    elsewhen T > T_high then
      on = true;
    end when;
  end Refrigerator;
  parameter Integer N = 10000 "Number of refrigerators";
  Refrigerator box[N](
    C={500 + 100*sin(1.7*i) for i in 1:N},
    R={2 + 0.3*sin(2.3*i) for i in 1:N},
    P={20 + 3*sin(3.1*i) for i in 1:N});
  Real power(unit="W") "Total power";
equation
  power = sum(if box[i].on then box[i].P else 0 for i in 1:N);
  annotation(experiment(StopTime=250, Interval=1, Tolerance=1e-4));
end Thermostats;
