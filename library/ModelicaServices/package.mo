package ModelicaServices "Properties of the tool and the machine"
  constant String target = "Ferrica" "Name of the tool";

  package Machine "Limits of the number formats"
    final constant Real eps = 2^(-52) "Distance from 1 to the next larger double";
    final constant Real small = 2.2250738585072014e-308 "Smallest normalized positive double";
    final constant Real inf = 1.7976931348623157e308 "Largest finite double";
    final constant Integer Integer_inf = 2147483647 "Largest Integer whose negative is also representable";
  end Machine;

  package ExternalReferences "Files that belong to libraries"
    function loadResource "Path of a file of a library, given as modelica://Library/Path, or of a file on disk"
      input String uri "Reference";
      output String fileReference "Path";
    algorithm
      fileReference := Modelica.Utilities.Files.fullPathName(uri);
    end loadResource;
  end ExternalReferences;

  package Types "Types of this package"
    type SolverMethod = String "Name of an integration method used for clocked discretization";
  end Types;
end ModelicaServices;
