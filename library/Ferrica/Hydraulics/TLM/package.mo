within Ferrica.Hydraulics;
package TLM "Fluid power with wave ports: explicit, and cut into parts at every line"
  // A component is of type C (volumes, lines, springs: they give the wave c and the impedance Zc) or of
  // type Q (orifices, valves, masses: they give p and q). A Q port is connected to one C port.
  // At a port  p = c + Zc q,  q flows from the Q into the C component. Waves need the time T from end to end.
  // A fixed step that divides every T (--solver rk4 --step T) reads the waves exactly as they were sent.
  // Mechanical ports are the same with force and velocity, or torque and speed, in place of p and q.
end TLM;
