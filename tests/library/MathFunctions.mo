// Modelica.Math: identities and values of the elementary functions at textbook arguments.
model MathFunctions
  import Modelica.Math.*;
  import Modelica.Constants.pi;
  Real x(start=0.5, fixed=true);
equation
  der(x) = 0;
  when terminal() then
    assert(abs(sin(pi/6) - 0.5) < 1e-15 and abs(cos(pi/3) - 0.5) < 1e-15 and abs(tan(pi/4) - 1) < 1e-15, "circular");
    assert(abs(asin(0.5) - pi/6) < 1e-15 and abs(acos(0.5) - pi/3) < 1e-15 and abs(atan(1) - pi/4) < 1e-15, "inverse circular");
    assert(abs(atan2(1, -1) - 3*pi/4) < 1e-15 and abs(atan2(-1, -1) + 3*pi/4) < 1e-15, "atan2");
    assert(abs(atan3(1, -1, 2*pi) - 11*pi/4) < 1e-14 and abs(atan3(-1, -1, pi) - 5*pi/4) < 1e-14, "atan3");
    assert(abs(cosh(x)^2 - sinh(x)^2 - 1) < 1e-14 and abs(tanh(x) - sinh(x)/cosh(x)) < 1e-15, "hyperbolic");
    assert(abs(asinh(sinh(x)) - x) < 1e-14 and abs(acosh(cosh(x)) - x) < 1e-14, "inverse hyperbolic");
    assert(abs(log(exp(x)) - x) < 1e-15 and abs(log10(1000) - 3) < 1e-14, "logarithms");
    assert(abs(wrapAngle(3*pi/2) + pi/2) < 1e-14 and abs(wrapAngle(-pi/2, true) - 3*pi/2) < 1e-14, "wrapAngle");
    assert(isEqual(1, 1.05, 0.1) and not isEqual(1, 1.2, 0.1), "isEqual");
    assert(isPowerOf2(64) and not isPowerOf2(48), "isPowerOf2");
  end when;
end MathFunctions;
