model Gate "A condition that turns right where the run begins, and a jump of a derivative that leaves the states alone"
  Real s = sin(time);
  Boolean up = s > 0;
  Real on(start = 0, fixed = true) "Time during which it was true";
equation
  der(on) = if up then 1 else 0;
  annotation (experiment(StopTime = 5));
end Gate;
