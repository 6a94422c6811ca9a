within Modelica.Utilities;
package Files "Names of files"
  function loadResource "Path of a file of a library, given as modelica://Library/Path, or of a file on disk"
    extends ModelicaServices.ExternalReferences.loadResource;
  end loadResource;

  impure function fullPathName "Absolute path of a file"
    input String name "Name of the file";
    output String fullName "Absolute path";
  external "C" fullName = ModelicaInternal_fullPathName(name)
    annotation(Library="ModelicaExternalC");
  end fullPathName;

  impure function exist "Whether a file or folder exists"
    input String name "Name of the file";
    output Boolean result "It exists";
  algorithm
    result := fileType(name) <> Types.FileType.NoFile;
  end exist;

  impure function fileType "Kind of a file"
    input String name "Name of the file";
    output Types.FileType fileType "Kind";
  external "C" fileType = ModelicaInternal_stat(name)
    annotation(Library="ModelicaExternalC");
  end fileType;
end Files;
