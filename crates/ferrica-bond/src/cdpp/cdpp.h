// A root coordinator for the atomic models of a quantized bond graph, written by ferrica.
//
// Atomic models have the functions that CD++ gives them: initFunction, externalFunction, internalFunction, outputFunction, with holdIn,
// passivate and sendOutput. Time is a number of seconds. A coupled model is read from its .ma file; of components that are due at one
// instant the one that stands first in it goes first.
#ifndef CDPP_H
#define CDPP_H

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace cdpp {

const double never = std::numeric_limits<double>::infinity();

// What one component sends to another.
struct Message {
  double time;
  std::string port;
  double value;
};

class Coordinator;

class Atomic {
  friend class Coordinator;
  Coordinator *home = nullptr;
  std::map<std::string, std::string> parameters;
  double next = never, last = 0, since = 0;

public:
  std::string name;
  virtual ~Atomic() {}

protected:
  virtual void initFunction() = 0;
  virtual void externalFunction(const Message &) = 0;
  virtual void internalFunction(double time) = 0;
  virtual void outputFunction(double time) = 0;

  void holdIn(double duration) { next = last + duration; }
  void passivate() { next = never; }
  // Time from the transition before to the present one.
  double elapsed() const { return since; }
  void sendOutput(double time, const std::string &port, double value);
  bool has(const std::string &key) const { return parameters.count(key) > 0; }
  std::string text(const std::string &key) const {
    auto found = parameters.find(key);
    if (found == parameters.end()) {
      fprintf(stderr, "%s: the parameter `%s` is missing\n", name.c_str(), key.c_str());
      exit(1);
    }
    return found->second;
  }
  double number(const std::string &key) const { return atof(text(key).c_str()); }
  std::vector<double> numbers(const std::string &key) const {
    std::istringstream list(text(key));
    std::vector<double> out;
    double x;
    while (list >> x) out.push_back(x);
    return out;
  }
  double number(const std::string &key, double usual) const { return has(key) ? number(key) : usual; }
};

typedef std::function<std::unique_ptr<Atomic>()> Maker;

class Coordinator {
  struct Target { size_t component; std::string port; };
  std::vector<std::unique_ptr<Atomic> > components;
  std::map<std::string, size_t> numbers;
  std::map<std::pair<size_t, std::string>, std::vector<Target> > links;
  std::vector<Message> sent;

  size_t find(const std::string &name) const {
    auto found = numbers.find(name);
    if (found == numbers.end()) {
      fprintf(stderr, "there is no component `%s`\n", name.c_str());
      exit(1);
    }
    return found->second;
  }

public:
  // Called for each message: the component that sends it, and the message.
  std::function<void(const Atomic &, const Message &)> log;

  void read(const std::string &file, const std::map<std::string, Maker> &makers) {
    std::ifstream in(file.c_str());
    if (!in) {
      fprintf(stderr, "%s cannot be read\n", file.c_str());
      exit(1);
    }
    std::string line, section;
    std::vector<std::pair<std::string, std::string> > pending;
    while (std::getline(in, line)) {
      if (line.empty() || line[0] == '%') continue;
      if (line[0] == '[') {
        section = line.substr(1, line.find(']') - 1);
        continue;
      }
      size_t colon = line.find(" : ");
      size_t bare = line.find(" :");
      if (bare == std::string::npos) continue;
      std::string key = line.substr(0, bare);
      std::istringstream rest(colon == std::string::npos ? "" : line.substr(colon + 3));
      if (section == "top" && key == "components") {
        std::string word;
        while (rest >> word) {
          size_t at = word.find('@');
          std::string name = word.substr(0, at), kind = word.substr(at + 1);
          auto maker = makers.find(kind);
          if (maker == makers.end()) {
            fprintf(stderr, "there is no atomic model `%s`\n", kind.c_str());
            exit(1);
          }
          numbers[name] = components.size();
          components.push_back(maker->second());
          components.back()->name = name;
          components.back()->home = this;
        }
      } else if (section == "top" && key == "link") {
        std::string from, to;
        rest >> from >> to;
        size_t a = from.find('@'), b = to.find('@');
        Target target = {find(to.substr(b + 1)), to.substr(0, b)};
        links[{find(from.substr(a + 1)), from.substr(0, a)}].push_back(target);
      } else if (section != "top") {
        components[find(section)]->parameters[key] = rest.str();
      }
    }
  }

  void send(const Message &message) { sent.push_back(message); }

  // Runs until a time; returns the number of transitions.
  long run(double start, double stop) {
    for (auto &c : components) {
      c->last = start;
      c->initFunction();
    }
    long transitions = 0;
    for (;;) {
      size_t first = components.size();
      double time = never;
      for (size_t k = 0; k < components.size(); k++)
        if (components[k]->next < time) {
          time = components[k]->next;
          first = k;
        }
      if (first == components.size() || time > stop) return transitions;
      transitions++;
      Atomic &model = *components[first];
      sent.clear();
      model.outputFunction(time);
      model.since = time - model.last;
      model.last = time;
      model.next = never;
      model.internalFunction(time);
      std::vector<Message> out;
      out.swap(sent);
      for (const Message &message : out) {
        if (log) log(model, message);
        auto found = links.find({first, message.port});
        if (found == links.end()) continue;
        for (const Target &target : found->second) {
          Atomic &receiver = *components[target.component];
          Message in = {time, target.port, message.value};
          receiver.since = time - receiver.last;
          receiver.last = time;
          receiver.externalFunction(in);
        }
      }
    }
  }
};

inline void Atomic::sendOutput(double time, const std::string &port, double value) {
  home->send({time, port, value});
}

} // namespace cdpp
#endif
