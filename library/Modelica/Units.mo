within Modelica;
package Units "Physical quantities as Modelica types"
  package SI "Quantities in coherent SI units"

    // Geometry and time
    type Angle = Real(final quantity="Angle", final unit="rad", displayUnit="deg") "Angle";
    type SolidAngle = Real(final quantity="SolidAngle", final unit="sr") "Solid angle";
    type Length = Real(final quantity="Length", final unit="m") "Length";
    type PathLength = Length "Path length";
    type Position = Length "Position";
    type Distance = Length(min=0) "Distance";
    type Breadth = Length(min=0) "Breadth";
    type Height = Length(min=0) "Height";
    type Thickness = Length(min=0) "Thickness";
    type Radius = Length(min=0) "Radius";
    type Diameter = Length(min=0) "Diameter";
    type Area = Real(final quantity="Area", final unit="m2") "Area";
    type Volume = Real(final quantity="Volume", final unit="m3") "Volume";
    type Time = Real(final quantity="Time", final unit="s") "Time";
    type Duration = Time "Duration";
    type AngularVelocity = Real(final quantity="AngularVelocity", final unit="rad/s") "Angular velocity";
    type AngularAcceleration = Real(final quantity="AngularAcceleration", final unit="rad/s2") "Angular acceleration";
    type AngularJerk = Real(final quantity="AngularJerk", final unit="rad/s3") "Angular jerk";
    type Velocity = Real(final quantity="Velocity", final unit="m/s") "Velocity";
    type Acceleration = Real(final quantity="Acceleration", final unit="m/s2") "Acceleration";
    type Jerk = Real(final quantity="Jerk", final unit="m/s3") "Jerk";

    // Periodic phenomena
    type Period = Real(final quantity="Time", final unit="s") "Period";
    type Frequency = Real(final quantity="Frequency", final unit="Hz") "Frequency";
    type AngularFrequency = Real(final quantity="AngularFrequency", final unit="rad/s") "Angular frequency";
    type Wavelength = Real(final quantity="Wavelength", final unit="m") "Wavelength";
    type WaveNumber = Real(final quantity="WaveNumber", final unit="m-1") "Wave number";
    type CircularWaveNumber = Real(final quantity="CircularWaveNumber", final unit="rad/m") "Circular wave number";
    type AmplitudeLevelDifference = Real(final quantity="AmplitudeLevelDifference", final unit="dB") "Amplitude level difference";
    type PowerLevelDifference = Real(final quantity="PowerLevelDifference", final unit="dB") "Power level difference";
    type DampingCoefficient = Real(final quantity="DampingCoefficient", final unit="s-1") "Damping coefficient";
    type AttenuationCoefficient = Real(final quantity="AttenuationCoefficient", final unit="m-1") "Attenuation coefficient";
    type PhaseCoefficient = Real(final quantity="PhaseCoefficient", final unit="m-1") "Phase coefficient";
    type PropagationCoefficient = Real(final quantity="PropagationCoefficient", final unit="m-1") "Propagation coefficient";
    type Damping = DampingCoefficient "Damping";

    // Mechanics
    type Mass = Real(final quantity="Mass", final unit="kg", min=0) "Mass";
    type Density = Real(final quantity="Density", final unit="kg/m3", displayUnit="g/cm3", min=0) "Density";
    type RelativeDensity = Real(final quantity="RelativeDensity", final unit="1", min=0) "Relative density";
    type SpecificVolume = Real(final quantity="SpecificVolume", final unit="m3/kg", min=0) "Specific volume";
    type LinearDensity = Real(final quantity="LinearDensity", final unit="kg/m", min=0) "Linear density";
    type SurfaceDensity = Real(final quantity="SurfaceDensity", final unit="kg/m2", min=0) "Surface density";
    type Momentum = Real(final quantity="Momentum", final unit="kg.m/s") "Momentum";
    type Impulse = Real(final quantity="Impulse", final unit="N.s") "Impulse";
    type AngularMomentum = Real(final quantity="AngularMomentum", final unit="kg.m2/s") "Angular momentum";
    type AngularImpulse = Real(final quantity="AngularImpulse", final unit="N.m.s") "Angular impulse";
    type MomentOfInertia = Real(final quantity="MomentOfInertia", final unit="kg.m2") "Moment of inertia";
    type Inertia = MomentOfInertia "Inertia";
    type Force = Real(final quantity="Force", final unit="N") "Force";
    type TranslationalSpringConstant = Real(final quantity="TranslationalSpringConstant", final unit="N/m") "Translational spring constant";
    type TranslationalDampingConstant = Real(final quantity="TranslationalDampingConstant", final unit="N.s/m") "Translational damping constant";
    type Weight = Force "Weight";
    type Torque = Real(final quantity="Torque", final unit="N.m") "Torque";
    type ElectricalTorqueConstant = Real(final quantity="ElectricalTorqueConstant", final unit="N.m/A") "Electrical torque constant";
    type MomentOfForce = Torque "Moment of force";
    type ImpulseFlowRate = Real(final quantity="ImpulseFlowRate", final unit="N") "Impulse flow rate";
    type AngularImpulseFlowRate = Real(final quantity="AngularImpulseFlowRate", final unit="N.m") "Angular impulse flow rate";
    type RotationalSpringConstant = Real(final quantity="RotationalSpringConstant", final unit="N.m/rad") "Rotational spring constant";
    type RotationalDampingConstant = Real(final quantity="RotationalDampingConstant", final unit="N.m.s/rad") "Rotational damping constant";
    type Pressure = Real(final quantity="Pressure", final unit="Pa", displayUnit="bar") "Pressure";
    type AbsolutePressure = Pressure(min=0, nominal=1e5) "Absolute pressure";
    type PressureDifference = Pressure "Pressure difference";
    type PressureSlope = Real(final quantity="PressureSlope", final unit="Pa/s", displayUnit="bar/s") "Pressure slope";
    type BulkModulus = AbsolutePressure "Bulk modulus";
    type Stress = Real(final unit="Pa") "Stress";
    type NormalStress = Stress "Normal stress";
    type ShearStress = Stress "Shear stress";
    type Strain = Real(final quantity="Strain", final unit="1") "Strain";
    type LinearStrain = Strain "Linear strain";
    type ShearStrain = Strain "Shear strain";
    type VolumeStrain = Real(final quantity="VolumeStrain", final unit="1") "Volume strain";
    type PoissonNumber = Real(final quantity="PoissonNumber", final unit="1") "Poisson number";
    type ModulusOfElasticity = Stress "Modulus of elasticity";
    type ShearModulus = Stress "Shear modulus";
    type SecondMomentOfArea = Real(final quantity="SecondMomentOfArea", final unit="m4") "Second moment of area";
    type SecondPolarMomentOfArea = SecondMomentOfArea "Second polar moment of area";
    type SectionModulus = Real(final quantity="SectionModulus", final unit="m3") "Section modulus";
    type CoefficientOfFriction = Real(final quantity="CoefficientOfFriction", final unit="1") "Coefficient of friction";
    type DynamicViscosity = Real(final quantity="DynamicViscosity", final unit="Pa.s", min=0) "Dynamic viscosity";
    type KinematicViscosity = Real(final quantity="KinematicViscosity", final unit="m2/s", min=0) "Kinematic viscosity";
    type SurfaceTension = Real(final quantity="SurfaceTension", final unit="N/m") "Surface tension";
    type Work = Real(final quantity="Work", final unit="J") "Work";
    type Energy = Real(final quantity="Energy", final unit="J") "Energy";
    type EnergyDensity = Real(final quantity="EnergyDensity", final unit="J/m3") "Energy density";
    type PotentialEnergy = Energy "Potential energy";
    type KineticEnergy = Energy "Kinetic energy";
    type Power = Real(final quantity="Power", final unit="W") "Power";
    type EnergyFlowRate = Power "Energy flow rate";
    type EnthalpyFlowRate = Real(final quantity="EnthalpyFlowRate", final unit="W") "Enthalpy flow rate";
    type Efficiency = Real(final quantity="Efficiency", final unit="1", min=0) "Efficiency";
    type MassFlowRate = Real(final quantity="MassFlowRate", final unit="kg/s") "Mass flow rate";
    type VolumeFlowRate = Real(final quantity="VolumeFlowRate", final unit="m3/s") "Volume flow rate";
    type MomentumFlux = Real(final quantity="MomentumFlux", final unit="N") "Momentum flux";
    type AngularMomentumFlux = Real(final quantity="AngularMomentumFlux", final unit="N.m") "Angular momentum flux";

    // Thermodynamics
    type ThermodynamicTemperature = Real(final quantity="ThermodynamicTemperature", final unit="K", min=0, start=288.15, nominal=300, displayUnit="degC") "Thermodynamic temperature";
    type Temperature = ThermodynamicTemperature "Temperature";
    type TemperatureDifference = Real(final quantity="ThermodynamicTemperature", final unit="K") "Temperature difference";
    type TemperatureSlope = Real(final quantity="TemperatureSlope", final unit="K/s") "Temperature slope";
    type LinearTemperatureCoefficient = Real(final quantity="LinearTemperatureCoefficient", final unit="1/K") "Linear temperature coefficient";
    type QuadraticTemperatureCoefficient = Real(final quantity="QuadraticTemperatureCoefficient", final unit="1/K2") "Quadratic temperature coefficient";
    type LinearExpansionCoefficient = Real(final quantity="LinearExpansionCoefficient", final unit="1/K") "Linear expansion coefficient";
    type CubicExpansionCoefficient = Real(final quantity="CubicExpansionCoefficient", final unit="1/K") "Cubic expansion coefficient";
    type RelativePressureCoefficient = Real(final quantity="RelativePressureCoefficient", final unit="1/K") "Relative pressure coefficient";
    type PressureCoefficient = Real(final quantity="PressureCoefficient", final unit="Pa/K") "Pressure coefficient";
    type Compressibility = Real(final quantity="Compressibility", final unit="1/Pa") "Compressibility";
    type IsothermalCompressibility = Compressibility "Isothermal compressibility";
    type IsentropicCompressibility = Compressibility "Isentropic compressibility";
    type Heat = Real(final quantity="Energy", final unit="J") "Heat";
    type HeatFlowRate = Real(final quantity="Power", final unit="W") "Heat flow rate";
    type HeatFlux = Real(final quantity="HeatFlux", final unit="W/m2") "Heat flux";
    type DensityOfHeatFlowRate = Real(final quantity="DensityOfHeatFlowRate", final unit="W/m2") "Density of heat flow rate";
    type ThermalConductivity = Real(final quantity="ThermalConductivity", final unit="W/(m.K)") "Thermal conductivity";
    type CoefficientOfHeatTransfer = Real(final quantity="CoefficientOfHeatTransfer", final unit="W/(m2.K)") "Coefficient of heat transfer";
    type SurfaceCoefficientOfHeatTransfer = CoefficientOfHeatTransfer "Surface coefficient of heat transfer";
    type ThermalInsulance = Real(final quantity="ThermalInsulance", final unit="m2.K/W") "Thermal insulance";
    type ThermalResistance = Real(final quantity="ThermalResistance", final unit="K/W") "Thermal resistance";
    type ThermalConductance = Real(final quantity="ThermalConductance", final unit="W/K") "Thermal conductance";
    type ThermalDiffusivity = Real(final quantity="ThermalDiffusivity", final unit="m2/s") "Thermal diffusivity";
    type HeatCapacity = Real(final quantity="HeatCapacity", final unit="J/K") "Heat capacity";
    type SpecificHeatCapacity = Real(final quantity="SpecificHeatCapacity", final unit="J/(kg.K)") "Specific heat capacity";
    type SpecificHeatCapacityAtConstantPressure = SpecificHeatCapacity "Specific heat capacity at constant pressure";
    type SpecificHeatCapacityAtConstantVolume = SpecificHeatCapacity "Specific heat capacity at constant volume";
    type SpecificHeatCapacityAtSaturation = SpecificHeatCapacity "Specific heat capacity at saturation";
    type RatioOfSpecificHeatCapacities = Real(final quantity="RatioOfSpecificHeatCapacities", final unit="1") "Ratio of specific heat capacities";
    type IsentropicExponent = Real(final quantity="IsentropicExponent", final unit="1") "Isentropic exponent";
    type Entropy = Real(final quantity="Entropy", final unit="J/K") "Entropy";
    type EntropyFlowRate = Real(final quantity="EntropyFlowRate", final unit="J/(K.s)") "Entropy flow rate";
    type SpecificEntropy = Real(final quantity="SpecificEntropy", final unit="J/(kg.K)") "Specific entropy";
    type InternalEnergy = Heat "Internal energy";
    type Enthalpy = Heat "Enthalpy";
    type HelmholtzFreeEnergy = Heat "Helmholtz free energy";
    type GibbsFreeEnergy = Heat "Gibbs free energy";
    type SpecificEnergy = Real(final quantity="SpecificEnergy", final unit="J/kg") "Specific energy";
    type SpecificInternalEnergy = SpecificEnergy "Specific internal energy";
    type SpecificEnthalpy = SpecificEnergy "Specific enthalpy";
    type SpecificHelmholtzFreeEnergy = SpecificEnergy "Specific helmholtz free energy";
    type SpecificGibbsFreeEnergy = SpecificEnergy "Specific gibbs free energy";
    type DerDensityByEnthalpy = Real(final unit="kg.s2/m5") "Der density by enthalpy";
    type DerDensityByPressure = Real(final unit="s2/m2") "Der density by pressure";
    type DerDensityByTemperature = Real(final unit="kg/(m3.K)") "Der density by temperature";
    type DerEnthalpyByPressure = Real(final unit="J.m.s2/kg2") "Der enthalpy by pressure";
    type DerEnergyByDensity = Real(final unit="J.m3/kg") "Der energy by density";
    type DerEnergyByPressure = Real(final unit="J.m.s2/kg") "Der energy by pressure";
    type DerPressureByDensity = Real(final unit="Pa.m3/kg") "Der pressure by density";
    type DerPressureByTemperature = Real(final unit="Pa/K") "Der pressure by temperature";

    // Electricity and magnetism
    type ElectricCurrent = Real(final quantity="ElectricCurrent", final unit="A") "Electric current";
    type Current = ElectricCurrent "Current";
    type CurrentSlope = Real(final quantity="CurrentSlope", final unit="A/s") "Current slope";
    type ElectricCharge = Real(final quantity="ElectricCharge", final unit="C") "Electric charge";
    type Charge = ElectricCharge "Charge";
    type VolumeDensityOfCharge = Real(final quantity="VolumeDensityOfCharge", final unit="C/m3", min=0) "Volume density of charge";
    type SurfaceDensityOfCharge = Real(final quantity="SurfaceDensityOfCharge", final unit="C/m2", min=0) "Surface density of charge";
    type ElectricFieldStrength = Real(final quantity="ElectricFieldStrength", final unit="V/m") "Electric field strength";
    type ElectricPotential = Real(final quantity="ElectricPotential", final unit="V") "Electric potential";
    type Voltage = ElectricPotential "Voltage";
    type PotentialDifference = ElectricPotential "Potential difference";
    type ElectromotiveForce = ElectricPotential "Electromotive force";
    type VoltageSecond = Real(final quantity="VoltageSecond", final unit="V.s") "Voltage second";
    type VoltageSlope = Real(final quantity="VoltageSlope", final unit="V/s") "Voltage slope";
    type ElectricFluxDensity = Real(final quantity="ElectricFluxDensity", final unit="C/m2") "Electric flux density";
    type ElectricFlux = Real(final quantity="ElectricFlux", final unit="C") "Electric flux";
    type Capacitance = Real(final quantity="Capacitance", final unit="F", min=0) "Capacitance";
    type CapacitancePerUnitLength = Real(final quantity="CapacitancePerUnitLength", final unit="F/m") "Capacitance per unit length";
    type CapacitancePerArea = Real(final quantity="CapacitancePerArea", final unit="F/m2") "Capacitance per area";
    type Permittivity = Real(final quantity="Permittivity", final unit="F/m", min=0) "Permittivity";
    type PermittivityOfVacuum = Permittivity "Permittivity of vacuum";
    type RelativePermittivity = Real(final quantity="RelativePermittivity", final unit="1") "Relative permittivity";
    type ElectricSusceptibility = Real(final quantity="ElectricSusceptibility", final unit="1") "Electric susceptibility";
    type ElectricPolarization = Real(final quantity="ElectricPolarization", final unit="C/m2") "Electric polarization";
    type Electrization = Real(final quantity="Electrization", final unit="V/m") "Electrization";
    type ElectricDipoleMoment = Real(final quantity="ElectricDipoleMoment", final unit="C.m") "Electric dipole moment";
    type CurrentDensity = Real(final quantity="CurrentDensity", final unit="A/m2") "Current density";
    type LinearCurrentDensity = Real(final quantity="LinearCurrentDensity", final unit="A/m") "Linear current density";
    type MagneticFieldStrength = Real(final quantity="MagneticFieldStrength", final unit="A/m") "Magnetic field strength";
    type MagneticPotential = Real(final quantity="MagneticPotential", final unit="A") "Magnetic potential";
    type MagneticPotentialDifference = Real(final quantity="MagneticPotential", final unit="A") "Magnetic potential difference";
    type MagnetomotiveForce = Real(final quantity="MagnetomotiveForce", final unit="A") "Magnetomotive force";
    type CurrentLinkage = Real(final quantity="CurrentLinkage", final unit="A") "Current linkage";
    type MagneticFluxDensity = Real(final quantity="MagneticFluxDensity", final unit="T") "Magnetic flux density";
    type MagneticFlux = Real(final quantity="MagneticFlux", final unit="Wb") "Magnetic flux";
    type MagneticVectorPotential = Real(final quantity="MagneticVectorPotential", final unit="Wb/m") "Magnetic vector potential";
    type Inductance = Real(final quantity="Inductance", final unit="H") "Inductance";
    type SelfInductance = Inductance(min=0) "Self inductance";
    type MutualInductance = Inductance "Mutual inductance";
    type InductancePerUnitLength = Real(final quantity="InductancePerUnitLength", final unit="H/m") "Inductance per unit length";
    type CouplingCoefficient = Real(final quantity="CouplingCoefficient", final unit="1") "Coupling coefficient";
    type LeakageCoefficient = Real(final quantity="LeakageCoefficient", final unit="1") "Leakage coefficient";
    type Permeability = Real(final quantity="Permeability", final unit="V.s/(A.m)") "Permeability";
    type PermeabilityOfVacuum = Permeability "Permeability of vacuum";
    type RelativePermeability = Real(final quantity="RelativePermeability", final unit="1") "Relative permeability";
    type MagneticSusceptibility = Real(final quantity="MagneticSusceptibility", final unit="1") "Magnetic susceptibility";
    type ElectromagneticMoment = Real(final quantity="ElectromagneticMoment", final unit="A.m2") "Electromagnetic moment";
    type MagneticDipoleMoment = Real(final quantity="MagneticDipoleMoment", final unit="Wb.m") "Magnetic dipole moment";
    type Magnetization = Real(final quantity="Magnetization", final unit="A/m") "Magnetization";
    type MagneticPolarization = Real(final quantity="MagneticPolarization", final unit="T") "Magnetic polarization";
    type ElectromagneticEnergyDensity = Real(final quantity="EnergyDensity", final unit="J/m3") "Electromagnetic energy density";
    type PoyntingVector = Real(final quantity="PoyntingVector", final unit="W/m2") "Poynting vector";
    type Resistance = Real(final quantity="Resistance", final unit="Ohm") "Resistance";
    type ResistancePerUnitLength = Real(final quantity="ResistancePerUnitLength", final unit="Ohm/m") "Resistance per unit length";
    type Resistivity = Real(final quantity="Resistivity", final unit="Ohm.m") "Resistivity";
    type Conductivity = Real(final quantity="Conductivity", final unit="S/m") "Conductivity";
    type Reluctance = Real(final quantity="Reluctance", final unit="H-1") "Reluctance";
    type Permeance = Real(final quantity="Permeance", final unit="H") "Permeance";
    type PhaseDifference = Real(final quantity="Angle", final unit="rad", displayUnit="deg") "Phase difference";
    type Impedance = Resistance "Impedance";
    type ImpedancePerUnitLength = ResistancePerUnitLength "Impedance per unit length";
    type ModulusOfImpedance = Resistance "Modulus of impedance";
    type Reactance = Resistance "Reactance";
    type ReactancePerUnitLength = ResistancePerUnitLength "Reactance per unit length";
    type QualityFactor = Real(final quantity="QualityFactor", final unit="1") "Quality factor";
    type LossAngle = Real(final quantity="Angle", final unit="rad", displayUnit="deg") "Loss angle";
    type Conductance = Real(final quantity="Conductance", final unit="S") "Conductance";
    type ConductancePerUnitLength = Real(final quantity="ConductancePerUnitLength", final unit="S/m") "Conductance per unit length";
    type Admittance = Conductance "Admittance";
    type AdmittancePerUnitLength = ConductancePerUnitLength "Admittance per unit length";
    type ModulusOfAdmittance = Conductance "Modulus of admittance";
    type Susceptance = Conductance "Susceptance";
    type SusceptancePerUnitLength = ConductancePerUnitLength "Susceptance per unit length";
    type InstantaneousPower = Real(final quantity="Power", final unit="W") "Instantaneous power";
    type ActivePower = Real(final quantity="Power", final unit="W") "Active power";
    type ApparentPower = Real(final quantity="Power", final unit="V.A") "Apparent power";
    type ReactivePower = Real(final quantity="Power", final unit="var") "Reactive power";
    type PowerFactor = Real(final quantity="PowerFactor", final unit="1") "Power factor";
    type LinearTemperatureCoefficientResistance = Real(final quantity="LinearTemperatureCoefficientResistance", final unit="Ohm/K") "Linear temperature coefficient resistance";
    type QuadraticTemperatureCoefficientResistance = Real(final quantity="QuadraticTemperatureCoefficientResistance", final unit="Ohm/K2") "Quadratic temperature coefficient resistance";
    type Transconductance = Real(final quantity="Transconductance", final unit="A/V2") "Transconductance";
    type InversePotential = Real(final quantity="InversePotential", final unit="1/V") "Inverse potential";
    type ElectricalForceConstant = Real(final quantity="ElectricalForceConstant", final unit="N/A") "Electrical force constant";

    // Radiation and light
    type RadiantEnergy = Real(final quantity="Energy", final unit="J") "Radiant energy";
    type RadiantEnergyDensity = Real(final quantity="EnergyDensity", final unit="J/m3") "Radiant energy density";
    type RadiantPower = Real(final quantity="Power", final unit="W") "Radiant power";
    type RadiantIntensity = Real(final quantity="RadiantIntensity", final unit="W/sr") "Radiant intensity";
    type Radiance = Real(final quantity="Radiance", final unit="W/(sr.m2)") "Radiance";
    type RadiantExitance = Real(final quantity="RadiantExitance", final unit="W/m2") "Radiant exitance";
    type Irradiance = Real(final quantity="Irradiance", final unit="W/m2") "Irradiance";
    type Emissivity = Real(final quantity="Emissivity", final unit="1") "Emissivity";
    type LuminousIntensity = Real(final quantity="LuminousIntensity", final unit="cd") "Luminous intensity";
    type LuminousFlux = Real(final quantity="LuminousFlux", final unit="lm") "Luminous flux";
    type QuantityOfLight = Real(final quantity="QuantityOfLight", final unit="lm.s") "Quantity of light";
    type Luminance = Real(final quantity="Luminance", final unit="cd/m2") "Luminance";
    type LuminousExitance = Real(final quantity="LuminousExitance", final unit="lm/m2") "Luminous exitance";
    type Illuminance = Real(final quantity="Illuminance", final unit="lx") "Illuminance";
    type LightExposure = Real(final quantity="LightExposure", final unit="lx.s") "Light exposure";
    type LuminousEfficacy = Real(final quantity="LuminousEfficacy", final unit="lm/W") "Luminous efficacy";
    type LuminousEfficiency = Real(final quantity="LuminousEfficiency", final unit="1") "Luminous efficiency";
    type RefractiveIndex = Real(final quantity="RefractiveIndex", final unit="1") "Refractive index";

    // Acoustics
    type StaticPressure = AbsolutePressure "Static pressure";
    type SoundPressure = StaticPressure "Sound pressure";
    type VelocityOfSound = Real(final quantity="Velocity", final unit="m/s") "Velocity of sound";
    type SoundPower = Real(final quantity="Power", final unit="W") "Sound power";
    type SoundIntensity = Real(final quantity="SoundIntensity", final unit="W/m2") "Sound intensity";
    type AcousticImpedance = Real(final quantity="AcousticImpedance", final unit="Pa.s/m3") "Acoustic impedance";
    type SpecificAcousticImpedance = Real(final quantity="SpecificAcousticImpedance", final unit="Pa.s/m") "Specific acoustic impedance";
    type MechanicalImpedance = Real(final quantity="MechanicalImpedance", final unit="N.s/m") "Mechanical impedance";
    type SoundPressureLevel = Real(final quantity="SoundPressureLevel", final unit="dB") "Sound pressure level";
    type SoundPowerLevel = Real(final quantity="SoundPowerLevel", final unit="dB") "Sound power level";
    type ReflectionCoefficient = Real(final quantity="ReflectionCoefficient", final unit="1") "Reflection coefficient";
    type TransmissionCoefficient = Real(final quantity="TransmissionCoefficient", final unit="1") "Transmission coefficient";

    // Chemistry
    type AmountOfSubstance = Real(final quantity="AmountOfSubstance", final unit="mol", min=0) "Amount of substance";
    type Molality = Real(final quantity="Molality", final unit="mol/kg") "Molality";
    type MolarMass = Real(final quantity="MolarMass", final unit="kg/mol", min=0) "Molar mass";
    type MolarVolume = Real(final quantity="MolarVolume", final unit="m3/mol", min=0) "Molar volume";
    type MolarDensity = Real(final quantity="MolarDensity", final unit="mol/m3") "Molar density";
    type Molarity = MolarDensity "Molarity";
    type MolarConcentration = MolarDensity "Molar concentration";
    type MolarEnergy = Real(final quantity="MolarEnergy", final unit="J/mol", nominal=2e4) "Molar energy";
    type MolarInternalEnergy = MolarEnergy "Molar internal energy";
    type MolarEnthalpy = MolarEnergy "Molar enthalpy";
    type MolarHeatCapacity = Real(final quantity="MolarHeatCapacity", final unit="J/(mol.K)") "Molar heat capacity";
    type MolarEntropy = Real(final quantity="MolarEntropy", final unit="J/(mol.K)") "Molar entropy";
    type MolarFlowRate = Real(final quantity="MolarFlowRate", final unit="mol/s") "Molar flow rate";
    type MassFraction = Real(final quantity="MassFraction", final unit="1", min=0, max=1) "Mass fraction";
    type MoleFraction = Real(final quantity="MoleFraction", final unit="1", min=0, max=1) "Mole fraction";
    type VolumeFraction = Real(final quantity="VolumeFraction", final unit="1") "Volume fraction";
    type MassConcentration = Real(final quantity="MassConcentration", final unit="kg/m3") "Mass concentration";
    type PartialPressure = AbsolutePressure "Partial pressure";
    type ChemicalPotential = Real(final quantity="ChemicalPotential", final unit="J/mol") "Chemical potential";
    type Concentration = Real(final quantity="Concentration", final unit="mol/m3") "Concentration";
    type DiffusionCoefficient = Real(final quantity="DiffusionCoefficient", final unit="m2/s") "Diffusion coefficient";
    type FaradayConstant = Real(final quantity="FaradayConstant", final unit="C/mol") "Faraday constant";
    type ElementaryCharge = Real(final quantity="ElementaryCharge", final unit="C") "Elementary charge";
    type ChargeNumberOfIon = Real(final quantity="ChargeNumberOfIon", final unit="1") "Charge number of ion";
    type ElectrolyticConductivity = Real(final quantity="ElectrolyticConductivity", final unit="S/m") "Electrolytic conductivity";
    type MolarConductivity = Real(final quantity="MolarConductivity", final unit="S.m2/mol") "Molar conductivity";

    // Nuclear physics and ionizing radiation
    type Activity = Real(final quantity="Activity", final unit="Bq") "Activity";
    type SpecificActivity = Real(final quantity="SpecificActivity", final unit="Bq/kg") "Specific activity";
    type DecayConstant = Real(final quantity="DecayConstant", final unit="s-1") "Decay constant";
    type HalfLife = Real(final quantity="Time", final unit="s") "Half life";
    type MeanLife = Real(final quantity="Time", final unit="s") "Mean life";
    type CrossSection = Real(final quantity="Area", final unit="m2") "Cross section";
    type AbsorbedDose = Real(final quantity="AbsorbedDose", final unit="Gy") "Absorbed dose";
    type DoseEquivalent = Real(final quantity="DoseEquivalent", final unit="Sv") "Dose equivalent";
    type AbsorbedDoseRate = Real(final quantity="AbsorbedDoseRate", final unit="Gy/s") "Absorbed dose rate";
    type Exposure = Real(final quantity="Exposure", final unit="C/kg") "Exposure";
    type Mobility = Real(final quantity="Mobility", final unit="m2/(V.s)") "Mobility";

    // Characteristic numbers
    type ReynoldsNumber = Real(final quantity="ReynoldsNumber", final unit="1") "Reynolds number";
    type EulerNumber = Real(final quantity="EulerNumber", final unit="1") "Euler number";
    type FroudeNumber = Real(final quantity="FroudeNumber", final unit="1") "Froude number";
    type GrashofNumber = Real(final quantity="GrashofNumber", final unit="1") "Grashof number";
    type WeberNumber = Real(final quantity="WeberNumber", final unit="1") "Weber number";
    type MachNumber = Real(final quantity="MachNumber", final unit="1") "Mach number";
    type KnudsenNumber = Real(final quantity="KnudsenNumber", final unit="1") "Knudsen number";
    type StrouhalNumber = Real(final quantity="StrouhalNumber", final unit="1") "Strouhal number";
    type FourierNumber = Real(final quantity="FourierNumber", final unit="1") "Fourier number";
    type PecletNumber = Real(final quantity="PecletNumber", final unit="1") "Peclet number";
    type RayleighNumber = Real(final quantity="RayleighNumber", final unit="1") "Rayleigh number";
    type NusseltNumber = Real(final quantity="NusseltNumber", final unit="1") "Nusselt number";
    type BiotNumber = NusseltNumber "Biot number";
    type StantonNumber = Real(final quantity="StantonNumber", final unit="1") "Stanton number";
    type PrandtlNumber = Real(final quantity="PrandtlNumber", final unit="1") "Prandtl number";
    type SchmidtNumber = Real(final quantity="SchmidtNumber", final unit="1") "Schmidt number";
    type LewisNumber = Real(final quantity="LewisNumber", final unit="1") "Lewis number";

    // Solid state
    type HallCoefficient = Real(final quantity="HallCoefficient", final unit="m3/C") "Hall coefficient";
    type SeebeckCoefficient = Real(final quantity="SeebeckCoefficient", final unit="V/K") "Seebeck coefficient";
    type PeltierCoefficient = Real(final quantity="PeltierCoefficient", final unit="V") "Peltier coefficient";
    type ThomsonCoefficient = Real(final quantity="ThomsonCoefficient", final unit="V/K") "Thomson coefficient";
    type FermiEnergy = Real(final quantity="Energy", final unit="eV") "Fermi energy";
    type GapEnergy = Real(final quantity="Energy", final unit="eV") "Gap energy";
    type ActivationEnergy = Real(final quantity="Energy", final unit="eV") "Activation energy";
    type RelaxationTime = Time "Relaxation time";
    type CarrierLifeTime = Time "Carrier life time";
    type CurieTemperature = ThermodynamicTemperature "Curie temperature";

    // Ageing and ratios
    type TimeAging = Real(final quantity="1/Modelica.Units.SI.Time", final unit="1/s") "Time aging";
    type ChargeAging = Real(final quantity="1/Modelica.Units.SI.ElectricCharge", final unit="1/(A.s)") "Charge aging";
    type PerUnit = Real(final unit="1") "Per unit";
    type DimensionlessRatio = Real(final unit="1") "Dimensionless ratio";

    // Phasors
    operator record ComplexCurrent = Complex(redeclare Current re, redeclare Current im) "Complex current";
    operator record ComplexCurrentSlope = Complex(redeclare CurrentSlope re, redeclare CurrentSlope im) "Complex current slope";
    operator record ComplexCurrentDensity = Complex(redeclare CurrentDensity re, redeclare CurrentDensity im) "Complex current density";
    operator record ComplexElectricPotential = Complex(redeclare ElectricPotential re, redeclare ElectricPotential im) "Complex electric potential";
    operator record ComplexPotentialDifference = Complex(redeclare PotentialDifference re, redeclare PotentialDifference im) "Complex potential difference";
    operator record ComplexVoltage = Complex(redeclare Voltage re, redeclare Voltage im) "Complex voltage";
    operator record ComplexVoltageSlope = Complex(redeclare VoltageSlope re, redeclare VoltageSlope im) "Complex voltage slope";
    operator record ComplexElectricFieldStrength = Complex(redeclare ElectricFieldStrength re, redeclare ElectricFieldStrength im) "Complex electric field strength";
    operator record ComplexElectricFluxDensity = Complex(redeclare ElectricFluxDensity re, redeclare ElectricFluxDensity im) "Complex electric flux density";
    operator record ComplexElectricFlux = Complex(redeclare ElectricFlux re, redeclare ElectricFlux im) "Complex electric flux";
    operator record ComplexMagneticFieldStrength = Complex(redeclare MagneticFieldStrength re, redeclare MagneticFieldStrength im) "Complex magnetic field strength";
    operator record ComplexMagneticPotential = Complex(redeclare MagneticPotential re, redeclare MagneticPotential im) "Complex magnetic potential";
    operator record ComplexMagneticPotentialDifference = Complex(redeclare MagneticPotentialDifference re, redeclare MagneticPotentialDifference im) "Complex magnetic potential difference";
    operator record ComplexMagnetomotiveForce = Complex(redeclare MagnetomotiveForce re, redeclare MagnetomotiveForce im) "Complex magnetomotive force";
    operator record ComplexMagneticFluxDensity = Complex(redeclare MagneticFluxDensity re, redeclare MagneticFluxDensity im) "Complex magnetic flux density";
    operator record ComplexMagneticFlux = Complex(redeclare MagneticFlux re, redeclare MagneticFlux im) "Complex magnetic flux";
    operator record ComplexReluctance = Complex(redeclare Reluctance re, redeclare Reluctance im) "Complex reluctance";
    operator record ComplexImpedance = Complex(redeclare Impedance re, redeclare Impedance im) "Complex impedance";
    operator record ComplexImpedancePerUnitLength = Complex(redeclare ImpedancePerUnitLength re, redeclare ImpedancePerUnitLength im) "Complex impedance per unit length";
    operator record ComplexAdmittance = Complex(redeclare Admittance re, redeclare Admittance im) "Complex admittance";
    operator record ComplexAdmittancePerUnitLength = Complex(redeclare AdmittancePerUnitLength re, redeclare AdmittancePerUnitLength im) "Complex admittance per unit length";
    operator record ComplexPerUnit = Complex(redeclare PerUnit re, redeclare PerUnit im) "Complex per unit";
    operator record ComplexPower = Complex(redeclare ActivePower re, redeclare ReactivePower im) "Complex power";
  end SI;

  package NonSI "Quantities in other units that are in wide use"
    type Temperature_degC = Real(final quantity="ThermodynamicTemperature", final unit="degC") "Temperature in degree Celsius";
    type Temperature_degF = Real(final quantity="ThermodynamicTemperature", final unit="degF") "Temperature in degree Fahrenheit";
    type Temperature_degRk = Real(final quantity="ThermodynamicTemperature", final unit="degRk") "Temperature in degree Rankine";
    type Angle_deg = Real(final quantity="Angle", final unit="deg") "Angle in degree";
    type AngularVelocity_rpm = Real(final quantity="AngularVelocity", final unit="rev/min") "Speed in revolutions per minute";
    type Velocity_kmh = Real(final quantity="Velocity", final unit="km/h") "Velocity in kilometres per hour";
    type Time_day = Real(final quantity="Time", final unit="d") "Time in days";
    type Time_hour = Real(final quantity="Time", final unit="h") "Time in hours";
    type Time_minute = Real(final quantity="Time", final unit="min") "Time in minutes";
    type Volume_litre = Real(final quantity="Volume", final unit="l") "Volume in litres";
    type ElectricCharge_Ah = Real(final quantity="ElectricCharge", final unit="A.h") "Charge in ampere hours";
    type Energy_Wh = Real(final quantity="Energy", final unit="W.h") "Energy in watt hours";
    type Energy_kWh = Real(final quantity="Energy", final unit="kW.h") "Energy in kilowatt hours";
    type Pressure_bar = Real(final quantity="Pressure", final unit="bar") "Pressure in bar";
    type MassFlowRate_gps = Real(final quantity="MassFlowRate", final unit="g/s") "Mass flow rate in grams per second";
    type Area_cm = Real(final quantity="Area", final unit="cm2") "Area in square centimetres";
    type PerArea_cm = Real(final quantity="PerArea", final unit="1/cm2") "Count per square centimetre";
    type Area_cmPerVoltageSecond = Real(final quantity="AreaPerVoltageSecond", final unit="cm2/(V.s)") "Square centimetres per volt second";
  end NonSI;

  package Conversions "Functions between SI and other units"
    import Modelica.Units.SI;
    import Modelica.Units.NonSI;

    function to_unit1 "Declare a number dimensionless"
      input Real r;
      output Real result(unit="1");
    algorithm
      result := r;
      annotation(Inline=true);
    end to_unit1;

    function to_degC "Kelvin to degree Celsius"
      input SI.Temperature Kelvin;
      output NonSI.Temperature_degC Celsius;
    algorithm
      Celsius := Kelvin + Modelica.Constants.T_zero;
      annotation(Inline=true);
    end to_degC;

    function from_degC "Degree Celsius to kelvin"
      input NonSI.Temperature_degC Celsius;
      output SI.Temperature Kelvin;
    algorithm
      Kelvin := Celsius - Modelica.Constants.T_zero;
      annotation(Inline=true);
    end from_degC;

    function to_degF "Kelvin to degree Fahrenheit"
      input SI.Temperature Kelvin;
      output NonSI.Temperature_degF Fahrenheit;
    algorithm
      Fahrenheit := 32 + 1.8*(Kelvin + Modelica.Constants.T_zero);
      annotation(Inline=true);
    end to_degF;

    function from_degF "Degree Fahrenheit to kelvin"
      input NonSI.Temperature_degF Fahrenheit;
      output SI.Temperature Kelvin;
    algorithm
      Kelvin := (Fahrenheit - 32)/1.8 - Modelica.Constants.T_zero;
      annotation(Inline=true);
    end from_degF;

    function to_degRk "Kelvin to degree Rankine"
      input SI.Temperature Kelvin;
      output NonSI.Temperature_degRk Rankine;
    algorithm
      Rankine := 1.8*Kelvin;
      annotation(Inline=true);
    end to_degRk;

    function from_degRk "Degree Rankine to kelvin"
      input NonSI.Temperature_degRk Rankine;
      output SI.Temperature Kelvin;
    algorithm
      Kelvin := Rankine/1.8;
      annotation(Inline=true);
    end from_degRk;

    function to_deg "Radian to degree"
      input SI.Angle radian;
      output NonSI.Angle_deg degree;
    algorithm
      degree := radian*180/Modelica.Constants.pi;
      annotation(Inline=true);
    end to_deg;

    function from_deg "Degree to radian"
      input NonSI.Angle_deg degree;
      output SI.Angle radian;
    algorithm
      radian := degree*Modelica.Constants.pi/180;
      annotation(Inline=true);
    end from_deg;

    function to_rpm "Radian per second to revolutions per minute"
      input SI.AngularVelocity rs;
      output NonSI.AngularVelocity_rpm rpm;
    algorithm
      rpm := rs*30/Modelica.Constants.pi;
      annotation(Inline=true);
    end to_rpm;

    function from_rpm "Revolutions per minute to radian per second"
      input NonSI.AngularVelocity_rpm rpm;
      output SI.AngularVelocity rs;
    algorithm
      rs := rpm*Modelica.Constants.pi/30;
      annotation(Inline=true);
    end from_rpm;

    function to_kmh "Metre per second to kilometres per hour"
      input SI.Velocity ms;
      output NonSI.Velocity_kmh kmh;
    algorithm
      kmh := 3.6*ms;
      annotation(Inline=true);
    end to_kmh;

    function from_kmh "Kilometres per hour to metre per second"
      input NonSI.Velocity_kmh kmh;
      output SI.Velocity ms;
    algorithm
      ms := kmh/3.6;
      annotation(Inline=true);
    end from_kmh;

    function to_day "Second to days"
      input SI.Time s;
      output NonSI.Time_day day;
    algorithm
      day := s/86400;
      annotation(Inline=true);
    end to_day;

    function from_day "Days to second"
      input NonSI.Time_day day;
      output SI.Time s;
    algorithm
      s := 86400*day;
      annotation(Inline=true);
    end from_day;

    function to_hour "Second to hours"
      input SI.Time s;
      output NonSI.Time_hour hour;
    algorithm
      hour := s/3600;
      annotation(Inline=true);
    end to_hour;

    function from_hour "Hours to second"
      input NonSI.Time_hour hour;
      output SI.Time s;
    algorithm
      s := 3600*hour;
      annotation(Inline=true);
    end from_hour;

    function to_minute "Second to minutes"
      input SI.Time s;
      output NonSI.Time_minute minute;
    algorithm
      minute := s/60;
      annotation(Inline=true);
    end to_minute;

    function from_minute "Minutes to second"
      input NonSI.Time_minute minute;
      output SI.Time s;
    algorithm
      s := 60*minute;
      annotation(Inline=true);
    end from_minute;

    function to_litre "Cubic metre to litres"
      input SI.Volume m3;
      output NonSI.Volume_litre litre;
    algorithm
      litre := 1000*m3;
      annotation(Inline=true);
    end to_litre;

    function from_litre "Litres to cubic metre"
      input NonSI.Volume_litre litre;
      output SI.Volume m3;
    algorithm
      m3 := litre/1000;
      annotation(Inline=true);
    end from_litre;

    function to_Ah "Coulomb to ampere hours"
      input SI.ElectricCharge Coulomb;
      output NonSI.ElectricCharge_Ah AmpereHour;
    algorithm
      AmpereHour := Coulomb/3600;
      annotation(Inline=true);
    end to_Ah;

    function from_Ah "Ampere hours to coulomb"
      input NonSI.ElectricCharge_Ah AmpereHour;
      output SI.ElectricCharge Coulomb;
    algorithm
      Coulomb := 3600*AmpereHour;
      annotation(Inline=true);
    end from_Ah;

    function to_Wh "Joule to watt hours"
      input SI.Energy Joule;
      output NonSI.Energy_Wh WattHour;
    algorithm
      WattHour := Joule/3600;
      annotation(Inline=true);
    end to_Wh;

    function from_Wh "Watt hours to joule"
      input NonSI.Energy_Wh WattHour;
      output SI.Energy Joule;
    algorithm
      Joule := 3600*WattHour;
      annotation(Inline=true);
    end from_Wh;

    function to_kWh "Joule to kilowatt hours"
      input SI.Energy J;
      output NonSI.Energy_kWh kWh;
    algorithm
      kWh := J/3.6e6;
      annotation(Inline=true);
    end to_kWh;

    function from_kWh "Kilowatt hours to joule"
      input NonSI.Energy_kWh kWh;
      output SI.Energy J;
    algorithm
      J := 3.6e6*kWh;
      annotation(Inline=true);
    end from_kWh;

    function to_bar "Pascal to bar"
      input SI.Pressure Pa;
      output NonSI.Pressure_bar bar;
    algorithm
      bar := Pa/1e5;
      annotation(Inline=true);
    end to_bar;

    function from_bar "Bar to pascal"
      input NonSI.Pressure_bar bar;
      output SI.Pressure Pa;
    algorithm
      Pa := 1e5*bar;
      annotation(Inline=true);
    end from_bar;

    function to_gps "Kilogram per second to gram per second"
      input SI.MassFlowRate kgps;
      output NonSI.MassFlowRate_gps gps;
    algorithm
      gps := 1000*kgps;
      annotation(Inline=true);
    end to_gps;

    function from_gps "Gram per second to kilogram per second"
      input NonSI.MassFlowRate_gps gps;
      output SI.MassFlowRate kgps;
    algorithm
      kgps := gps/1000;
      annotation(Inline=true);
    end from_gps;

    function from_Hz "Frequency to angular frequency"
      input SI.Frequency f;
      output SI.AngularVelocity w;
    algorithm
      w := 2*Modelica.Constants.pi*f;
      annotation(Inline=true);
    end from_Hz;

    function to_Hz "Angular frequency to frequency"
      input SI.AngularVelocity w;
      output SI.Frequency f;
    algorithm
      f := w/(2*Modelica.Constants.pi);
      annotation(Inline=true);
    end to_Hz;

    function to_cm2 "Square metre to square centimetres"
      input SI.Area m2;
      output NonSI.Area_cm cm2;
    algorithm
      cm2 := 1e4*m2;
      annotation(Inline=true);
    end to_cm2;

    function from_cm2 "Square centimetres to square metre"
      input NonSI.Area_cm cm2;
      output SI.Area m2;
    algorithm
      m2 := 1e-4*cm2;
      annotation(Inline=true);
    end from_cm2;
  end Conversions;
end Units;
