// run: --stop 1
// Balances of m and U, states p and h: m = 1002.02 + t, U = 2004.04 + 10 t; from them h = U/m and p = (m - 1000)/(2 + h/100).
model PreferredStates
  function density "1000 + 2 p + p h/100 by summation"
    input Real p;
    input Real h;
    output Real d = 1000;
  protected
    Real part;
  algorithm
    part := 1.5;
    while part > 0.2 loop
      d := d + (if part > 1 then 1.5 else part)*p*(1 + h/200);
      part := part - 1;
    end while;
    annotation(smoothOrder=2);
  end density;
  Real p(start=1, fixed=true, stateSelect=StateSelect.prefer);
  Real h(start=2, fixed=true, stateSelect=StateSelect.prefer);
  Real m;
  Real U;
equation
  m = density(p, h);
  U = m*h;
  der(m) = 1;
  der(U) = 10;
  when terminal() then
    assert(abs(m - 1003.02) < 1e-3 and abs(U - 2014.04) < 1e-2, "balances");
    assert(abs(h - 2014.04/1003.02) < 1e-6, "enthalpy");
    assert(abs(p - 3.02/(2 + 2014.04/1003.02/100)) < 1e-5, "pressure");
  end when;
end PreferredStates;
