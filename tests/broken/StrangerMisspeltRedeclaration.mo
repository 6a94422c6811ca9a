model StrangerMisspeltRedeclaration
  package Water
    constant Real rho = 1000;
  end Water;
  model Base
    replaceable package Medium = Water;
    Real m = 2*Medium.rho;
  end Base;
  Base b(redeclare package Medum = Water);
end StrangerMisspeltRedeclaration;
// command: run
// code: E0205
// place: 9:10
// hint: did you mean `Medium`?
// edit: Medum ==> Medium
