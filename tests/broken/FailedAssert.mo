model FailedAssert
  Real x = 2*time;
equation
  assert(x < 1, "the tank is full");
end FailedAssert;
// command: run
// code: E0607
// place: 4:3
