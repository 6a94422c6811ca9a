model SyntaxUnclosedParenthesis
  Real x = sin(time;
end SyntaxUnclosedParenthesis;
// command: run
// code: E0101
// place: 2:20
// edit: sin(time; ==> sin(time);
