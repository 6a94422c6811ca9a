model NameUnknownFunction
  Real x = sine(time);
end NameUnknownFunction;
// command: run
// code: E0201
// place: 2:12
// hint: declare it, import it, or give its library with --lib DIR
