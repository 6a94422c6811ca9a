// What the blocks of an export need of an event: its value and port.
#ifndef EVENT_H
#define EVENT_H
#include <stddef.h>

class Event {
public:
  void *value;
  int port;
  Event(): value(NULL), port(0) {}
  Event(void *v, int p): value(v), port(p) {}
  void setNullEvent() { value = NULL; }
  bool isNotNull() const { return value != NULL; }
};
#endif
