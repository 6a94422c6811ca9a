model WhenInFor
  Real y(start=0);
algorithm
  for i in 1:2 loop
    when time > i then
      y := i;
    end when;
  end for;
end WhenInFor;
// command: run
// code: E0369
// place: 5:5
// hint: write the when-statement outside, with `if` or `for` inside of it
