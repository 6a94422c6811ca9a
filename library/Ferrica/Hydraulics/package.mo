within Ferrica;
package Hydraulics "Fluid power: volumes, restrictions, machines, cylinders and valves"
  // Pressures are relative to the tank. In this package ports are acausal (p, q); the subpackage TLM
  // has the same components with wave ports, which are explicit and cut a model into parts.

  package Oil "Mineral oil, the default of all components"
    constant Modelica.Units.SI.Density rho = 870 "Density";
    constant Modelica.Units.SI.BulkModulus beta = 1e9 "Bulk modulus, with a little free air";
    constant Modelica.Units.SI.DynamicViscosity mu = 0.03 "Viscosity";
  end Oil;
end Hydraulics;
