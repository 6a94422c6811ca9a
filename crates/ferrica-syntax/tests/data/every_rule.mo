within Some.Package;
// One text with every rule of the grammar; the tests take it apart.
encapsulated package Everything "All " + "of it"
  import A.B.C;
  import D = A.B.C;
  import A.B.*;
  import A.B.{E, F};
  extends Base(x = 1, break y, break connect(a.b, c[1].d), redeclare model M = N) annotation(a = 1);
  type Length = Real(final unit = "m", min = 0) "Length";
  type Vector = input Real[3];
  type Color = enumeration(red "Red", green, blue annotation(shade = "dark"));
  type Any = enumeration(:);
  connector Pin
    Real v;
    flow Real i;
    stream Real h;
  end Pin;
  expandable connector Bus
  end Bus;
  partial block Gain
    input Real u;
    output Real y;
    parameter Real k = 1;
  equation
    y = k * u;
  end Gain;
  record Data
    constant Integer n = 2;
    discrete Real d[n, :](each start = 0, final fixed = {true, false});
  end Data;
  operator record Number
    Real re;
    encapsulated operator 'constructor'
      function fromReal
        input Real re;
        output Number result(re = re);
      algorithm
      end fromReal;
    end 'constructor';
    encapsulated operator function '+'
      input Number a;
      output Number c;
    algorithm
      c := a;
    end '+';
  end Number;
  pure function f
    input Real x;
    output Real y;
  protected
    Integer i;
  algorithm
    y := 0;
    for i in 1:10, j loop
      if i > 5 then
        break;
      elseif i == 3 then
        y := y + i "step";
      else
        return;
      end if;
    end for;
    while y < 10 loop
      y := y + 1;
    end while;
    (y, , i) := g(x, a = 2);
    when {initial(), x > 1} then
      y := pre(y);
    elsewhen sample(0, 1) then
      reinit(y, 1);
    end when;
    assert(y > 0, "text");
    annotation(derivative(order = 1) = df, Inline = true);
  end f;
  impure function e
    input Real x[:];
    output Real y;
    external "C" y = ext_e(x, size(x, 1)) annotation(Library = "m");
  end e;
  function b
    input Real x;
    output Real y;
    external "builtin";
  end b;
  function df = der(f, x, z);
  final replaceable model R = S(p = 1) constrainedby T(q = 2) "why" annotation(choicesAllMatching = true);
  redeclare replaceable Gain g[3](each k = 2) if use_g constrainedby Gain "gain";
  inner outer World world;
  class C
  end C;
  model M "Model"
    Real x(start = 1, fixed = true) "x", y[2] = {1, 2}, 'quoted \' name' := 3;
    .Modelica.Units.SI.Voltage v = break;
    replaceable package Medium = Water;
    Tank tank(redeclare each final Pipe p = q, replaceable package M = N, a.b(c = 1) = 2);
  public
    parameter Real p = if a then 1 elseif b then 2 else 3;
  protected
    parameter Real m[2, 2] = [1, -2.5e-3; .5, 4.];
  initial equation
    x = 1;
  equation
    der(x) = -x ^ 2 + 3 * (a - b) / c .* d ./ e .^ f .+ g .- h;
    connect(a.p[1], b.n) annotation(Line(points = {{0, 0}, {1, 1}}));
    for i in 1:2:10 loop
      y[i] = sum(j * z[end, :, 1:end - 1] for j in 1:n, k in {a, b});
    end for;
    if not a and b or c <> d then
      y = {i ^ 2 for i in 1:2};
    elseif x >= 1 then
      (u, , w) = h(function q(a = 1), b = (z)[1], c = (r).s);
    else
      Connections.branch(a.R, b.R);
    end if;
    when x <= 0 then
      reinit(x, 1);
    elsewhen x == 3 then
      terminate("done");
    end when;
    assert(x > 0, "positive", AssertionLevel.warning) "Assertion";
  initial algorithm
    x := 2;
  algorithm
    x := pure(f(x));
    annotation(experiment(StopTime = 1), Documentation(info = "<html>
several lines</html>"));
  end M;
  model extends N(a = 1) "More"
  end N;
end Everything;
