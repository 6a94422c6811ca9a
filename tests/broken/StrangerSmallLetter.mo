model StrangerSmallLetter
  Modelica.Mechanics.Rotational.Components.Inertia J(J = 1, w(fixed = true), phi(fixed = true));
  real w = J.w;
end StrangerSmallLetter;
// command: run
// code: E0201
// place: 3:3
// hint: did you mean `Real`?
// edit: real w ==> Real w
