// Exact values of piecewise interpolation; Akima reproduces straight lines and, on this grid, parabola slopes.
model LibraryFunctions "Interpolation and bearing share"
  import Modelica.Blocks.Types.Smoothness;
  parameter Real line[3, 2] = [0, 1; 1, 3; 3, 7] "2 x + 1";
  parameter Real kink[4, 2] = [0, 0; 1, 1; 2, 1; 3, 4] "Broken line";
  parameter Real parabola[6, 2] = [0, 0; 1, 1; 2, 4; 3, 9; 4, 16; 5, 25] "x^2";
  Real x = time "Argument";
equation
  when terminal() then
    assert(abs(Ferrica.Functions.characteristic(line, 2, x, Smoothness.LinearSegments) - 5) < 1e-12, "Linear inside");
    assert(abs(Ferrica.Functions.characteristic(line, 2, x + 2, Smoothness.LinearSegments) - 9) < 1e-12, "Linear beyond");
    assert(abs(Ferrica.Functions.characteristic(line, 2, x - 3, Smoothness.LinearSegments) + 1) < 1e-12, "Linear before");
    assert(abs(Ferrica.Functions.characteristic(line, 2, x, Smoothness.ContinuousDerivative) - 5) < 1e-12, "Akima, line");
    assert(abs(Ferrica.Functions.characteristic(kink, 2, x + 0.5, Smoothness.LinearSegments) - 2.5) < 1e-12, "Third segment");
    assert(abs(Ferrica.Functions.characteristic(kink, 2, x - 0.5, Smoothness.ConstantSegments) - 1) < 1e-12, "Constant");
    assert(abs(Ferrica.Functions.characteristic(parabola, 2, x + 0.5, Smoothness.ContinuousDerivative) - 6.25) < 1e-12,
      "Akima, parabola");
    assert(abs(Ferrica.Functions.bearingShare(1, 1, 4, 4) - 2) < 1e-12, "Half on each side");
    // eta1 = 0.8, eta2 = 0.5, tau_a = 2, tau_b/ratio = 1: tau1 = 2.6, tau2 = 5.
    assert(abs(Ferrica.Functions.bearingShare(0.8, 0.5, 2.6, 5) - 2) < 1e-12, "Share of flange_a");
  end when;
  annotation(experiment(StopTime=2));
end LibraryFunctions;
