// Conversions between Real, Integer and Boolean; edges and changes counted over one ramp and one pulse train.
model ConversionBlocks
  import Modelica.Blocks.Math.*;
  RealToInteger up;
  RealToInteger down;
  IntegerToReal toReal;
  BooleanToReal b2r(realTrue=5, realFalse=-5);
  BooleanToInteger b2i(integerTrue=2, integerFalse=1);
  RealToBoolean r2b(threshold=0.5);
  IntegerToBoolean i2b(threshold=2);
  Edge edge1;
  BooleanChange change1;
  IntegerChange change2;
  MultiSwitch multi(nu=2, expr={1.5, 2.5}, y_default=9);
  Modelica.Blocks.MathInteger.MultiSwitch multiInt(nu=2, expr={4, 5}, y_default=6);
  Modelica.Blocks.MathInteger.Sum isum(nu=3, k={1, 2, 3});
  Modelica.Blocks.MathInteger.Product iproduct(nu=3);
  Modelica.Blocks.MathInteger.TriggeredAdd counter(y_start=10);
  Boolean b = time > 0.25 and time < 0.75;
  Integer nEdge(start=0, fixed=true);
  Integer nChange(start=0, fixed=true);
  Integer nInt(start=0, fixed=true);
equation
  up.u = 4*time; down.u = -2.5; toReal.u = up.y; b2r.u = b; b2i.u = b; r2b.u = time; i2b.u = up.y;
  edge1.u = b; change1.u = b; change2.u = up.y; multi.u = {time > 0.8, time > 0.6}; multiInt.u = {time > 0.8, time > 0.6};
  isum.u = {1, 2, 3}; iproduct.u = {2, 3, 4}; counter.u = 2; counter.trigger = time > 0.3 and time < 0.5 or time > 0.7;
  when edge1.y then
    nEdge = pre(nEdge) + 1;
  end when;
  when change1.y then
    nChange = pre(nChange) + 1;
  end when;
  when change2.y then
    nInt = pre(nInt) + 1;
  end when;
  when time >= 0.7 then
    assert(abs(multi.y - 2.5) < 1e-12 and multiInt.y == 5, "second expression");
    assert(abs(b2r.y - (5)) < 1e-9 and b2i.y == 2, "while true");
  end when;
  when time >= 0.5 then
    assert(abs(multi.y - 9) < 1e-12 and multiInt.y == 6, "default expression");
  end when;
  when terminal() then
    assert(up.y == 4 and down.y == -3 and abs(toReal.y - 4) < 1e-12, "rounding");
    assert(abs(b2r.y - (-5)) < 1e-9 and b2i.y == 1 and r2b.y and i2b.y, "conversions");
    assert(nEdge == 1 and nChange == 2 and nInt == 4, "edges");
    assert(abs(multi.y - 1.5) < 1e-12 and multiInt.y == 4, "first expression");
    assert(isum.y == 14 and iproduct.y == 24 and counter.y == 14, "Integer mathematics");
  end when;
end ConversionBlocks;
