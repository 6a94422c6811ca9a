within Modelica.Mechanics.Rotational;
package Icons "Base classes without equations"
  partial model Gear "Gear"
  end Gear;

  partial model Gearbox "Gearbox"
  end Gearbox;

  partial model Clutch "Clutch"
  end Clutch;
end Icons;
