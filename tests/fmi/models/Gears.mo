model Gears "Inputs of all kinds; ends before its time"
  input Real u(start = 0.5);
  input Integer gear(start = 1);
  input Boolean on(start = false);
  output Real x(start = 0, fixed = true);
  output Integer changes(start = 0, fixed = true);
equation
  der(x) = if on then gear*u else 0;
  when {change(gear), change(on)} then
    changes = pre(changes) + 1;
  end when;
  when x > 3 then
    terminate("far enough");
  end when;
  annotation (experiment(StopTime = 3, Interval = 0.05));
end Gears;
