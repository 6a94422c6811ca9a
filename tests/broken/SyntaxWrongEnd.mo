model SyntaxWrongEnd
  Real x = 1;
end SyntaxWrongEnds;
// command: run
// code: E0104
// place: 3:1
// hint: write `end SyntaxWrongEnd;`
// edit: SyntaxWrongEnds ==> SyntaxWrongEnd
