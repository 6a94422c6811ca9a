model StrangerReinitInIf
  Real h(start = 1, fixed = true);
  Real v(start = 0, fixed = true);
equation
  der(h) = v;
  der(v) = -9.81;
  if h < 0 and v < 0 then
    reinit(v, -0.8*pre(v));
  end if;
end StrangerReinitInIf;
// command: run
// code: E0344
// place: 8:5
// hint: write `when condition then reinit(x, value); end when;`
