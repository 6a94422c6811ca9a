// Runs a coupled model: main MODEL.ma STOP [START] prints what storages tell as CSV.
// Build: c++ -O2 -o main main.cpp
#include "qbg_atomics.h"

int main(int count, char **words) {
  if (count < 3) {
    fprintf(stderr, "usage: %s MODEL.ma STOP [START]\n", words[0]);
    return 2;
  }
  cdpp::Coordinator root;
  root.read(words[1], qbg::atomics());
  printf("time,component,value\n");
  root.log = [](const cdpp::Atomic &sender, const cdpp::Message &m) {
    if (dynamic_cast<const qbg::Storage *>(&sender)) printf("%.17g,%s,%.17g\n", m.time, sender.name.c_str(), m.value);
  };
  long transitions = root.run(count > 3 ? atof(words[3]) : 0, atof(words[2]));
  fprintf(stderr, "%ld transitions\n", transitions);
  return 0;
}
