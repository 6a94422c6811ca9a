// Modelica.Math.Vectors and BooleanVectors: small vectors worked out by hand.
model VectorFunctions
  import Modelica.Math.Vectors;
  import B = Modelica.Math.BooleanVectors;
  constant Real v[3] = {3, 0, -4};
  constant Boolean b[4] = {false, true, false, true};
  parameter Real s[3](each fixed=false);
  parameter Integer k[3](each fixed=false);
initial algorithm
  (s, k) := Vectors.sort(v);
equation
  when terminal() then
    assert(abs(Vectors.length(v) - 5) < 1e-15 and abs(Vectors.norm(v, 1) - 7) < 1e-15, "length");
    assert(abs(Vectors.norm(v, Modelica.Constants.inf) - 4) < 1e-15 and abs(Vectors.norm(v, 3) - 91^(1/3)) < 1e-13, "norms");
    assert(Vectors.isEqual(Vectors.normalize(v), {0.6, 0, -0.8}, 1e-15), "normalize");
    assert(Vectors.isEqual(Vectors.reverse(v), {-4, 0, 3}), "reverse");
    assert(Vectors.isEqual(s, {-4, 0, 3}) and k[1] == 3 and k[3] == 1, "sort");
    assert(Vectors.find(-4, v) == 3 and Vectors.find(1, v) == 0, "find");
    assert(abs(Vectors.interpolate({0, 1, 3}, {0, 2, 6}, 2) - 4) < 1e-15, "interpolate");
    assert(abs(Vectors.interpolate({0, 1, 3}, {0, 2, 6}, 4) - 8) < 1e-14, "extrapolate");
    assert(Vectors.isEqual(Vectors.relNodePositions(4), {0, 0.25, 0.75, 1}, 1e-15), "relNodePositions");
    assert(B.anyTrue(b) and not B.allTrue(b) and not B.oneTrue(b) and B.countTrue(b) == 2, "counting");
    assert(B.firstTrueIndex(b) == 2 and B.firstTrueIndex({false}) == 0 and B.andTrue(fill(true, 0)), "first");
    assert(sum(B.index(b)) == 6 and sum(B.enumerate(b)) == 3, "numbers");
  end when;
end VectorFunctions;
