// InverseBlockConstraints: the input of y = 2 u + 3 that gives 11 is 4.
model InverseConstraint
  Modelica.Blocks.Math.InverseBlockConstraints inverse;
  Modelica.Blocks.Math.Gain gain(k=2);
equation
  inverse.u1 = 11 + time;
  connect(inverse.y2, gain.u);
  inverse.u2 = gain.y + 3;
  when terminal() then
    assert(abs(inverse.y1 - 4.5) < 1e-9, "inverse of a gain");
  end when;
end InverseConstraint;
