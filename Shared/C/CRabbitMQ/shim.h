#pragma once
#include <amqp.h>
#include <amqp_framing.h>
#include <amqp_ssl_socket.h>
#include <amqp_tcp_socket.h>

// Swift cannot call a variadic function.
static inline amqp_rpc_reply_t tollgate_amqp_login(amqp_connection_state_t state, const char *vhost, int frame_max,
                                                   int heartbeat, const amqp_table_t *properties, const char *user,
                                                   const char *password) {
    return amqp_login_with_properties(state, vhost, AMQP_DEFAULT_MAX_CHANNELS, frame_max, heartbeat, properties,
                                      AMQP_SASL_METHOD_PLAIN, user, password);
}
