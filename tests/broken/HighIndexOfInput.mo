model HighIndexOfInput
  function f
    input Real u;
    output Real y;
    external "C" y = erf(u);
  end f;
  Real x(start=0);
  Real y;
equation
  x = f(time);
  y = der(x);
end HighIndexOfInput;
// command: run
// code: E0403
// place: 10:3
// hint: it constrains states directly (an index above one)
