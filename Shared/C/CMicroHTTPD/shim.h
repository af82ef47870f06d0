#pragma once
#include <microhttpd.h>
#include <string.h>

// Swift cannot call variadic functions: each that we need has a fixed form here.

/// Leaves the target as it was sent: decoding is done once, by us, per path segment.
static inline size_t mhd_shim_keep_escapes(void *context, struct MHD_Connection *connection, char *text) {
    (void)context;
    (void)connection;
    return strlen(text);
}

struct mhd_shim_options {
    int listening_socket;  // owned by the daemon once it has started
    unsigned int connection_limit;
    unsigned int connection_limit_per_address;  // 0: none
    unsigned int idle_seconds;
    size_t connection_memory;
    void *context;  // handed to every callback
    MHD_AccessHandlerCallback handle;
    void *(*begin)(void *context, const char *target, struct MHD_Connection *connection);
    MHD_RequestCompletedCallback complete;
    MHD_NotifyConnectionCallback notify;
};

/// Starts one internal thread that polls with epoll.
static inline struct MHD_Daemon *mhd_shim_start(const struct mhd_shim_options *options) {
    return MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, options->handle, options->context,
        MHD_OPTION_LISTEN_SOCKET, options->listening_socket,
        MHD_OPTION_CONNECTION_LIMIT, options->connection_limit,
        MHD_OPTION_PER_IP_CONNECTION_LIMIT, options->connection_limit_per_address,
        MHD_OPTION_CONNECTION_TIMEOUT, options->idle_seconds,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, options->connection_memory,
        MHD_OPTION_URI_LOG_CALLBACK, options->begin, options->context,
        MHD_OPTION_NOTIFY_COMPLETED, options->complete, options->context,
        MHD_OPTION_NOTIFY_CONNECTION, options->notify, options->context,
        MHD_OPTION_UNESCAPE_CALLBACK, &mhd_shim_keep_escapes, NULL,
        MHD_OPTION_END);
}

static inline void *mhd_shim_socket_context(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

static inline int mhd_shim_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

static inline const struct sockaddr *mhd_shim_peer(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    return info ? info->client_addr : NULL;
}

/// Bytes of request line and headers together.
static inline size_t mhd_shim_header_size(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info ? info->header_size : 0;
}
