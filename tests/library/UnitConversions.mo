// Both directions of every unit, by the definition of the unit.
model UnitConversions
  import Modelica.Units.Conversions.*;
equation
  when terminal() then
    assert(abs(from_degC(25) - 298.15) < 1e-9*298.15 and abs(to_degC(298.15) - 25) < 1e-9*25, "degC");
    assert(abs(from_degF(212) - 373.15) < 1e-9*373.15 and abs(to_degF(373.15) - 212) < 1e-9*212, "degF");
    assert(abs(from_degRk(491.67) - 273.15) < 1e-9*273.15 and abs(to_degRk(273.15) - 491.67) < 1e-9*491.67, "degRk");
    assert(abs(from_deg(180) - Modelica.Constants.pi) < 1e-9*Modelica.Constants.pi and abs(to_deg(Modelica.Constants.pi) - 180) < 1e-9*180, "deg");
    assert(abs(from_rpm(60) - 2*Modelica.Constants.pi) < 1e-9*2*Modelica.Constants.pi and abs(to_rpm(2*Modelica.Constants.pi) - 60) < 1e-9*60, "rpm");
    assert(abs(from_kmh(36) - 10) < 1e-9*10 and abs(to_kmh(10) - 36) < 1e-9*36, "kmh");
    assert(abs(from_day(2) - 172800) < 1e-9*172800 and abs(to_day(172800) - 2) < 1e-9*2, "day");
    assert(abs(from_hour(2) - 7200) < 1e-9*7200 and abs(to_hour(7200) - 2) < 1e-9*2, "hour");
    assert(abs(from_minute(2) - 120) < 1e-9*120 and abs(to_minute(120) - 2) < 1e-9*2, "minute");
    assert(abs(from_litre(3) - 0.003) < 1e-9*0.003 and abs(to_litre(0.003) - 3) < 1e-9*3, "litre");
    assert(abs(from_Ah(2) - 7200) < 1e-9*7200 and abs(to_Ah(7200) - 2) < 1e-9*2, "Ah");
    assert(abs(from_Wh(2) - 7200) < 1e-9*7200 and abs(to_Wh(7200) - 2) < 1e-9*2, "Wh");
    assert(abs(from_kWh(2) - 7.2e6) < 1e-9*7.2e6 and abs(to_kWh(7.2e6) - 2) < 1e-9*2, "kWh");
    assert(abs(from_bar(2) - 2e5) < 1e-9*2e5 and abs(to_bar(2e5) - 2) < 1e-9*2, "bar");
    assert(abs(from_gps(5) - 0.005) < 1e-9*0.005 and abs(to_gps(0.005) - 5) < 1e-9*5, "gps");
    assert(abs(from_cm2(30) - 0.003) < 1e-9*0.003 and abs(to_cm2(0.003) - 30) < 1e-9*30, "cm2");
    assert(abs(from_Hz(2) - 4*Modelica.Constants.pi) < 1e-12 and abs(to_Hz(4*Modelica.Constants.pi) - 2) < 1e-12, "Hz");
    assert(to_unit1(3) == 3, "unit1");
  end when;
end UnitConversions;
