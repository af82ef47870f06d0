#pragma once

// What librabbitmq reaches in C when nothing is in its way: one thread, one message, made once. The limit that the
// publisher and the subscription are compared with.

typedef struct {
    const char *host;
    int port;
    const char *user;
    const char *password;
    const char *vhost;
} bare_broker;

/// Publishes `count` persistent messages of `size` bytes to `exchange`, `window` unconfirmed at a time. Seconds from the
/// first to the last confirmation; negative if it failed.
double bare_publish(bare_broker broker, const char *exchange, const char *routing_key, int count, int size, int window);

/// Takes `count` messages from `queue`, acknowledging each `batch` with one frame. Seconds; negative if it failed.
double bare_consume(bare_broker broker, const char *queue, int count, int prefetch, int batch);
