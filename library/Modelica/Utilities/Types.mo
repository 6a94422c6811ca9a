within Modelica.Utilities;
package Types "Types of the utilities"
  type Compare = enumeration(Less "First is before second", Equal "Both are equal", Greater "First is after second")
    "Result of a comparison of texts";
  type FileType = enumeration(NoFile "Does not exist", RegularFile "File", Directory "Directory",
      SpecialFile "Device, pipe or socket") "Kind of a file";
end Types;
