model UnitMismatch
  Modelica.Units.SI.Length s = 1;
  Modelica.Units.SI.Time t = 2;
  Real x = s + t;
end UnitMismatch;
// command: check
// code: W0304
// place: 4:12
// hint: check the formula, or the `unit` of the variables
