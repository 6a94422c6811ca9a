model Counter "Counts samples, and the time since the last one"
  output Integer n(start = 0, fixed = true);
  output Real since(start = 0, fixed = true);
  Boolean late = time > 0.5;
equation
  der(since) = 1;
  when sample(0.25, 0.25) then
    n = pre(n) + 1;
    reinit(since, 0);
  end when;
end Counter;
