// Constants: pi and e from their series; the exact SI of 2019 gives R = 8.31446261815324 J/(mol.K),
// F = 96485.33212331 C/mol and sigma = 5.670374419e-8 W/(m2.K4) (CODATA 2018 tables).
model ConstantsTest
  import Modelica.Constants.*;
equation
  when terminal() then
    assert(abs(pi - 4*atan(1.0)) < 1e-15, "pi");
    assert(abs(e - exp(1.0)) < 1e-15, "e");
    assert(abs(R - 8.31446261815324) < 1e-13, "R");
    assert(abs(F - 96485.33212331) < 1e-7, "F");
    assert(abs(sigma - 5.670374419e-8) < 1e-17, "sigma");
    assert(abs(epsilon_0 - 8.8541878128e-12) < 1e-21, "epsilon_0");
    assert(abs(D2R*R2D - 1) < 1e-15, "degrees");
    assert(1 + eps > 1 and 1 + eps/2 <= 1, "eps");
    assert(Integer_inf == 2147483647, "Integer_inf");
  end when;
end ConstantsTest;
