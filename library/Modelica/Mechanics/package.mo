within Modelica;
package Mechanics "One-dimensional mechanics"
end Mechanics;
