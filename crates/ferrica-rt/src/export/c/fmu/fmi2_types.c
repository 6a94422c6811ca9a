typedef void *environment_type;
typedef void (*logger_type)(environment_type, const char *, int, const char *, const char *, ...);

typedef struct {
    logger_type log;
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void (*step_finished)(environment_type, int);
    environment_type environment;
} callbacks_type;

#define LOG(i, status, category, text) (i)->log((i)->environment, (i)->name, status, category, "%s", text)

