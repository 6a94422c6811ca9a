typedef void *environment_type;
typedef void (*logger_type)(environment_type, int, const char *, const char *);

#define LOG(i, status, category, text) (i)->log((i)->environment, status, category, text)

