within Modelica.Utilities;
package Streams "Messages"
  impure function print "Writes a line to the terminal or a file"
    input String string = "" "Text";
    input String fileName = "" "File; empty means the terminal";
  external "C" ModelicaInternal_print(string, fileName)
    annotation(Library="ModelicaExternalC");
  end print;

  pure function error "Stops with a message"
    input String string "Message";
  external "C" ModelicaError(string)
    annotation(Library="ModelicaExternalC");
  end error;
end Streams;
