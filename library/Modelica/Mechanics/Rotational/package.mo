within Modelica.Mechanics;
package Rotational "Bodies that turn about one axis"
end Rotational;
