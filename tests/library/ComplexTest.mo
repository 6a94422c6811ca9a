// Complex and ComplexMath: (1 + 2j)(3 - j) = 5 + 5j, e^(j pi) = -1, sqrt(3 + 4j) = 2 + j; sin^2 + cos^2 = 1.
model ComplexTest
  import CM = Modelica.ComplexMath;
  Complex a(re=1, im=2);
  Complex b(re=3, im=-1);
  Complex p = a*b;
  Complex q = p/b;
  Complex s = a + b - Complex(4, 1);
  Complex r = CM.sqrt(Complex(3, 4));
  Complex t = CM.sin(a)*CM.sin(a) + CM.cos(a)*CM.cos(a);
  Complex e = CM.exp(CM.j*Modelica.Constants.pi);
  Complex l = CM.log(CM.exp(a));
  Complex c = CM.asin(CM.sin(Complex(0.3, 0.4)));
  Complex h = CM.atanh(CM.tanh(Complex(0.3, 0.4)));
  Complex w = a^2;
  Complex n = -a;
  Complex v[2] = {a, b};
  Complex d = CM.sum(v);
equation
  when terminal() then
    assert(abs(p.re - 5) < 1e-14 and abs(p.im - 5) < 1e-14, "product");
    assert(abs(q.re - 1) < 1e-14 and abs(q.im - 2) < 1e-14, "quotient");
    assert(abs(s.re) < 1e-14 and abs(s.im) < 1e-14, "sum");
    assert(abs(r.re - 2) < 1e-14 and abs(r.im - 1) < 1e-14, "sqrt");
    assert(abs(t.re - 1) < 1e-13 and abs(t.im) < 1e-13, "sin, cos");
    assert(abs(e.re + 1) < 1e-14 and abs(e.im) < 1e-14, "exp");
    assert(abs(l.re - 1) < 1e-14 and abs(l.im - 2) < 1e-14, "log");
    assert(abs(c.re - 0.3) < 1e-14 and abs(c.im - 0.4) < 1e-14, "asin");
    assert(abs(h.re - 0.3) < 1e-14 and abs(h.im - 0.4) < 1e-14, "atanh");
    assert(abs(w.re + 3) < 1e-14 and abs(w.im - 4) < 1e-14, "power");
    assert(abs(n.re - (-1)) < 1e-9 and abs(n.im - (-2)) < 1e-9, "negation");
    assert(abs(CM.abs(Complex(3, 4)) - 5) < 1e-15 and abs(CM.arg(Complex(0, 2)) - Modelica.Constants.pi/2) < 1e-15, "polar");
    assert(abs(d.re - (4)) < 1e-9 and abs(d.im - (1)) < 1e-9, "vector sum");
    assert(a <> b and not a == b, "comparison");
    assert(abs(CM.imag(CM.fromPolar(2, Modelica.Constants.pi/6)) - 1) < 1e-14, "fromPolar");
    assert(abs(CM.real(CM.conj(a)*a) - 5) < 1e-14, "conj");
  end when;
end ComplexTest;
