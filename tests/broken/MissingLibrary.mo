model MissingLibrary
  Buildings.Fluid.Sources.Boundary_pT source;
end MissingLibrary;
// command: run
// code: E0201
// place: 2:3
// hint: give the folder that holds the library `Buildings` with --lib DIR, or set MODELICAPATH
