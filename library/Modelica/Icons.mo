within Modelica;
package Icons "Empty base classes; the names say what the heir is"
  partial class Information "Marks a class: information"
  end Information;

  partial class Contact "Marks a class: contact"
  end Contact;

  partial class ReleaseNotes "Marks a class: release notes"
  end ReleaseNotes;

  partial class References "Marks a class: references"
  end References;

  partial class MaterialProperty "Marks a class: material property"
  end MaterialProperty;

  partial class RoundSensor "Marks a class: round sensor"
  end RoundSensor;

  partial class RectangularSensor "Marks a class: rectangular sensor"
  end RectangularSensor;

  partial class UnderConstruction "Marks a class: under construction"
  end UnderConstruction;

  partial class ObsoleteModel "Marks a class: obsolete model"
  end ObsoleteModel;

  partial package ExamplesPackage "Marks a package: examples package"
  end ExamplesPackage;

  partial package Package "Marks a package: package"
  end Package;

  partial package BasesPackage "Marks a package: bases package"
  end BasesPackage;

  partial package VariantsPackage "Marks a package: variants package"
  end VariantsPackage;

  partial package InterfacesPackage "Marks a package: interfaces package"
  end InterfacesPackage;

  partial package SourcesPackage "Marks a package: sources package"
  end SourcesPackage;

  partial package SensorsPackage "Marks a package: sensors package"
  end SensorsPackage;

  partial package UtilitiesPackage "Marks a package: utilities package"
  end UtilitiesPackage;

  partial package TypesPackage "Marks a package: types package"
  end TypesPackage;

  partial package FunctionsPackage "Marks a package: functions package"
  end FunctionsPackage;

  partial package IconsPackage "Marks a package: icons package"
  end IconsPackage;

  partial package InternalPackage "Marks a package: internal package"
  end InternalPackage;

  partial package MaterialPropertiesPackage "Marks a package: material properties package"
  end MaterialPropertiesPackage;

  partial package RecordsPackage "Marks a package: records package"
  end RecordsPackage;

  partial model Example "Marks a model that can be simulated"
  end Example;

  partial function Function "Marks a function"
  end Function;

  partial record Record "Marks a record"
  end Record;

  type TypeReal = Real "Marks a Real type";
  type TypeInteger = Integer "Marks an Integer type";
  type TypeBoolean = Boolean "Marks a Boolean type";
  type TypeString = String "Marks a String type";

  expandable connector SignalBus "Bus whose members are made by its connections"
  end SignalBus;

  expandable connector SignalSubBus "Bus inside another bus"
  end SignalSubBus;
end Icons;
