within Modelica;
package Constants "Mathematical constants and constants of nature"
  import Modelica.Units.SI;
  import Modelica.Units.NonSI;

  // Mathematics
  final constant Real e(final unit="1") = 2.718281828459045 "Base of the natural logarithm";
  final constant Real pi = 3.141592653589793 "Half circumference of the unit circle";
  final constant Real D2R(final unit="rad/deg") = pi/180 "One degree in radian";
  final constant Real R2D(final unit="deg/rad") = 180/pi "One radian in degree";
  final constant Real gamma(final unit="1") = 0.5772156649015329 "Euler-Mascheroni constant";

  // Number formats
  final constant Real eps = ModelicaServices.Machine.eps "Distance from 1 to the next larger double";
  final constant Real small = ModelicaServices.Machine.small "Smallest normalized positive double";
  final constant Real inf = ModelicaServices.Machine.inf "Largest finite double";
  final constant Integer Integer_inf = ModelicaServices.Machine.Integer_inf "Largest Integer";

  // Nature: exact values of the 2019 SI; G and mu_0 are the CODATA 2018 values
  final constant SI.Velocity c = 299792458 "Speed of light in vacuum";
  final constant SI.Acceleration g_n = 9.80665 "Standard gravity";
  final constant Real G(final unit="m3/(kg.s2)") = 6.67430e-11 "Gravitational constant";
  final constant SI.ElectricCharge q = 1.602176634e-19 "Elementary charge";
  final constant SI.FaradayConstant F = N_A*q "Charge of one mole of electrons";
  final constant Real h(final unit="J.s") = 6.62607015e-34 "Planck constant";
  final constant Real k(final unit="J/K") = 1.380649e-23 "Boltzmann constant";
  final constant Real R(final unit="J/(mol.K)") = N_A*k "Gas constant";
  final constant Real sigma(final unit="W/(m2.K4)") = 2*pi^5*k^4/(15*c^2*h^3) "Stefan-Boltzmann constant";
  final constant Real N_A(final unit="1/mol") = 6.02214076e23 "Particles in one mole";
  final constant SI.Permeability mu_0 = 1.25663706212e-6 "Permeability of vacuum";
  final constant Real epsilon_0(final unit="F/m") = 1/(mu_0*c^2) "Permittivity of vacuum";
  final constant NonSI.Temperature_degC T_zero = -273.15 "Absolute zero";
end Constants;
