// Unit conversions: definitions of the units (0 degC = 273.15 K, 1 h = 3600 s, 1 bar = 1e5 Pa, 1 turn = 2 pi rad, ...).
model ConversionsTest
  import Modelica.Units.Conversions.*;
  constant Real x = 12.5;
equation
  when terminal() then
    assert(abs(from_degC(20) - 293.15) < 1e-12, "degC");
    assert(abs(to_degC(from_degC(x)) - x) < 1e-12, "degC back");
    assert(abs(to_degF(373.15) - 212) < 1e-12, "degF");
    assert(abs(from_degF(to_degF(x)) - x) < 1e-12, "degF back");
    assert(abs(to_degRk(100) - 180) < 1e-12, "degRk");
    assert(abs(to_deg(Modelica.Constants.pi) - 180) < 1e-12, "deg");
    assert(abs(from_deg(90) - Modelica.Constants.pi/2) < 1e-12, "from deg");
    assert(abs(from_rpm(60) - 2*Modelica.Constants.pi) < 1e-12, "rpm");
    assert(abs(to_rpm(from_rpm(x)) - x) < 1e-12, "rpm back");
    assert(abs(to_kmh(10) - 36) < 1e-12, "kmh");
    assert(abs(from_day(1) - 86400) < 1e-12, "day");
    assert(abs(from_hour(1) - 3600) < 1e-12, "hour");
    assert(abs(from_minute(1) - 60) < 1e-12, "minute");
    assert(abs(to_litre(1) - 1000) < 1e-12, "litre");
    assert(abs(from_Ah(1) - 3600) < 1e-12, "Ah");
    assert(abs(from_Wh(1) - 3600) < 1e-12, "Wh");
    assert(abs(from_kWh(1) - 3.6e6) < 1e-9, "kWh");
    assert(abs(from_bar(1) - 1e5) < 1e-9, "bar");
    assert(abs(to_gps(1) - 1000) < 1e-12, "gps");
    assert(abs(from_Hz(1) - 2*Modelica.Constants.pi) < 1e-12, "Hz");
    assert(abs(to_cm2(1) - 1e4) < 1e-9, "cm2");
  end when;
end ConversionsTest;
