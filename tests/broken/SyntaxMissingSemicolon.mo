model SyntaxMissingSemicolon
  Real x
  Real y = 1;
equation
  x = y;
end SyntaxMissingSemicolon;
// command: run
// code: E0109
// place: 2:9
// edit: Real x\n ==> Real x;\n
