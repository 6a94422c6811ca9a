within Modelica.Mechanics;
package Translational "Bodies that slide along one axis"
end Translational;
