// Thermostat: 15 rises to 21 towards 30 in 10 ln(15/9) s, falls to 19 towards 0 in 10 ln(21/19) s, rises to 21 in
// 10 ln(11/9) s, and so on.
// built-in only: an example of ours
model ExampleThermostat
  extends Modelica.Blocks.Examples.Thermostat;
  parameter Real first = 10*log(15/9);
  parameter Real fall = 10*log(21/19);
  parameter Real rise = 10*log(11/9);
  Integer switches(start=0, fixed=true);
  discrete Real last(start=0, fixed=true);
equation
  when change(controller.y) then
    switches = pre(switches) + 1;
    last = time;
  end when;
  when sample(6, 0.5) then
    assert(room.y > 18.99 and room.y < 21.01, "band");
  end when;
  when terminal() then
    // after the first switch off: on, off, on, ... at first + fall, first + fall + rise, ...
    assert(abs(last - (first + fall + 3*(rise + fall))) < 1e-3, "last switch before 16 s");
  end when;
  annotation(experiment(StopTime=16));
end ExampleThermostat;
