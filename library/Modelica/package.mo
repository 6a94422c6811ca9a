package Modelica "Component library with the interfaces of the Modelica Standard Library"
  annotation(version="4.1.0");
end Modelica;
