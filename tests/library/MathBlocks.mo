// Blocks.Math: each block against the expression it stands for.
model MathBlocks
  import Modelica.Blocks.Math.*;
  Gain gain(k=3);
  Add add(k1=2, k2=-1);
  Add3 add3(k3=0.5);
  Feedback feedback;
  Product product1;
  Division division;
  Abs abs1;
  Abs absEvent(generateEvent=true);
  Sign sign1;
  Sqrt sqrt1;
  Sin sin1;
  Cos cos1;
  Tan tan1;
  Asin asin1;
  Acos acos1;
  Atan atan1;
  Atan2 atan21;
  Sinh sinh1;
  Cosh cosh1;
  Tanh tanh1;
  Exp exp1;
  Log log1(base=2);
  Log10 log101;
  Power power(base=2);
  Exponentiation exponentiation(exponent=3);
  Max max1;
  Min min1;
  MinMax minMax(nu=3);
  LinearDependency dependency(y0=1, k1=2, k2=3);
  Pythagoras hypotenuse;
  Pythagoras leg(u1IsHypotenuse=true);
  WrapAngle wrap;
  RectangularToPolar polar;
  PolarToRectangular rectangular;
  MultiSum multiSum(nu=3, k={1, 2, 3});
  MultiProduct multiProduct(nu=3);
  Sum sum1(nin=3, k={1, -1, 2});
  MatrixGain matrixGain(K=[1, 2; 3, 4]);
  Real u = 2*time - 0.9;
  Real w = time + 0.5;
  Real expected[35] = {3*u, 2*u - w, u + w + 0.5*time, u - w, u*w, u/w, abs(u), abs(u), sign(u), sqrt(w), sin(u), cos(u),
    tan(u), asin(u/2), acos(u/2), atan(u), atan2(u, w), sinh(u), cosh(u), tanh(u), exp(u), log(w)/log(2), log10(w), 2^u,
    w^3, max(u, w), min(u, w), 1 + 2*u + 3*w, sqrt(u^2 + w^2), u + 2*w + 3*time, u*w*time, u - w + 2*time,
    u + 2*w, 3*u + 4*w, max(max(u, w), time) - min(min(u, w), time)};
  Real actual[35] = {gain.y, add.y, add3.y, feedback.y, product1.y, division.y, abs1.y, absEvent.y, sign1.y, sqrt1.y,
    sin1.y, cos1.y, tan1.y, asin1.y, acos1.y, atan1.y, atan21.y, sinh1.y, cosh1.y, tanh1.y, exp1.y, log1.y, log101.y,
    power.y, exponentiation.y, max1.y, min1.y, dependency.y, hypotenuse.y, multiSum.y, multiProduct.y, sum1.y,
    matrixGain.y[1], matrixGain.y[2], minMax.yMax - minMax.yMin};
equation
  gain.u = u; add.u1 = u; add.u2 = w; add3.u1 = u; add3.u2 = w; add3.u3 = time; feedback.u1 = u; feedback.u2 = w;
  product1.u1 = u; product1.u2 = w; division.u1 = u; division.u2 = w; abs1.u = u; absEvent.u = u; sign1.u = u; sqrt1.u = w;
  sin1.u = u; cos1.u = u; tan1.u = u; asin1.u = u/2; acos1.u = u/2; atan1.u = u; atan21.u1 = u; atan21.u2 = w;
  sinh1.u = u; cosh1.u = u; tanh1.u = u; exp1.u = u; log1.u = w; log101.u = w; power.u = u; exponentiation.u = w;
  max1.u1 = u; max1.u2 = w; min1.u1 = u; min1.u2 = w; minMax.u = {u, w, time}; dependency.u1 = u; dependency.u2 = w;
  hypotenuse.u1 = u; hypotenuse.u2 = w; leg.u1 = 5; leg.u2 = 3; wrap.u = 7;
  polar.u_re = 3; polar.u_im = 4; rectangular.u_abs = polar.y_abs; rectangular.u_arg = polar.y_arg;
  multiSum.u = {u, w, time}; multiProduct.u = {u, w, time}; sum1.u = {u, w, time}; matrixGain.u = {u, w};
  when sample(0.005, 0.01) then
    assert(sum(abs(actual - expected)) < 1e-9, "a block deviates from its formula");
  end when;
  when terminal() then
    assert(abs(leg.y - 4) < 1e-12 and leg.valid, "Pythagoras");
    assert(abs(wrap.y - (7 - 2*Modelica.Constants.pi)) < 1e-12, "WrapAngle");
    assert(abs(polar.y_abs - 5) < 1e-12 and abs(rectangular.y_re - 3) < 1e-12 and abs(rectangular.y_im - 4) < 1e-12, "polar");
  end when;
end MathBlocks;
