model Types "Variables of every type, units and enumerations"
  type Mode = enumeration(off "Nothing", on "All");
  input Boolean go(start = true);
  input Integer n(start = 2);
  input Real T(unit = "K", displayUnit = "degC", start = 300);
  parameter Mode mode = Mode.on;
  parameter Integer order(min = 1, max = 4) = 2;
  parameter String text = "a < b & \"c\"";
  parameter Real[3] k = {1, 2, 3};
  output Real y(unit = "W");
  output Integer count(start = 0, fixed = true);
  output Boolean hot;
  Real[3] x(each start = 1, each fixed = true);
equation
  der(x) = -k.*x;
  hot = T > 310;
  y = if go and mode == Mode.on then n*order*sum(x) else 0;
  when sample(0, 0.1) then
    count = pre(count) + n;
  end when;
  annotation (experiment(StopTime = 1));
end Types;
