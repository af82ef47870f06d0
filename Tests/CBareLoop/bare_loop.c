#include "bare_loop.h"

#include <amqp.h>
#include <amqp_framing.h>
#include <amqp_tcp_socket.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static amqp_bytes_t text(const char *text) { return amqp_cstring_bytes(text); }

static amqp_connection_state_t open_connection(bare_broker broker) {
    amqp_connection_state_t state = amqp_new_connection();
    amqp_socket_t *socket = amqp_tcp_socket_new(state);
    if (amqp_socket_open(socket, broker.host, broker.port) != AMQP_STATUS_OK ||
        amqp_login(state, broker.vhost, 2047, 131072, 10, AMQP_SASL_METHOD_PLAIN, broker.user, broker.password)
                .reply_type != AMQP_RESPONSE_NORMAL) {
        amqp_destroy_connection(state);
        return NULL;
    }
    amqp_channel_open(state, 1);
    return state;
}

static double close_connection(amqp_connection_state_t state, double seconds) {
    amqp_connection_close(state, AMQP_REPLY_SUCCESS);
    amqp_destroy_connection(state);
    return seconds;
}

double bare_publish(bare_broker broker, const char *exchange, const char *routing_key, int count, int size,
                    int window) {
    amqp_connection_state_t state = open_connection(broker);
    if (!state) return -1;
    amqp_confirm_select(state, 1);
    char *body = malloc((size_t)size);
    memset(body, 'x', (size_t)size);
    amqp_table_entry_t headers[] = {
        {text("accepted_at"), {AMQP_FIELD_KIND_UTF8, {.bytes = text("2026-11-30T08:15:00.250Z")}}},
        {text("key"), {AMQP_FIELD_KIND_UTF8, {.bytes = text("organisation/2000000123456789")}}},
    };
    amqp_basic_properties_t properties = {
        ._flags = AMQP_BASIC_CONTENT_TYPE_FLAG | AMQP_BASIC_HEADERS_FLAG | AMQP_BASIC_DELIVERY_MODE_FLAG |
                  AMQP_BASIC_MESSAGE_ID_FLAG | AMQP_BASIC_TYPE_FLAG | AMQP_BASIC_USER_ID_FLAG,
        .content_type = text("application/json"),
        .headers = {2, headers},
        .delivery_mode = 2,
        .message_id = text("019e0000-0000-7000-8000-000000000000"),
        .type = text("transaction.verified.v1"),
        .user_id = text(broker.user),
    };
    double began = now();
    int sent = 0;
    uint64_t confirmed = 0;
    while (confirmed < (uint64_t)count) {
        while (sent < count && (uint64_t)sent - confirmed < (uint64_t)window) {
            amqp_bytes_t message = {(size_t)size, body};
            if (amqp_basic_publish(state, 1, text(exchange), text(routing_key), 1, 0, &properties, message) < 0) {
                return close_connection(state, -1);
            }
            sent++;
        }
        amqp_frame_t frame;
        int status = amqp_simple_wait_frame(state, &frame);
        struct timeval none = {0, 0};
        while (status == AMQP_STATUS_OK) {
            if (frame.frame_type != AMQP_FRAME_METHOD || frame.payload.method.id != AMQP_BASIC_ACK_METHOD) {
                return close_connection(state, -1);
            }
            amqp_basic_ack_t *ack = frame.payload.method.decoded;
            // Tags are confirmed in order here: one queue.
            confirmed = ack->delivery_tag;
            amqp_maybe_release_buffers(state);
            status = amqp_simple_wait_frame_noblock(state, &frame, &none);
        }
        if (status != AMQP_STATUS_TIMEOUT) return close_connection(state, -1);
    }
    double seconds = now() - began;
    free(body);
    return close_connection(state, seconds);
}

double bare_consume(bare_broker broker, const char *queue, int count, int prefetch, int batch) {
    amqp_connection_state_t state = open_connection(broker);
    if (!state) return -1;
    amqp_basic_qos(state, 1, 0, (uint16_t)prefetch, 0);
    amqp_basic_consume(state, 1, text(queue), amqp_empty_bytes, 0, 0, 0, amqp_empty_table);
    double began = now();
    for (int taken = 1; taken <= count; taken++) {
        amqp_maybe_release_buffers(state);
        amqp_envelope_t envelope;
        struct timeval patience = {30, 0};
        if (amqp_consume_message(state, &envelope, &patience, 0).reply_type != AMQP_RESPONSE_NORMAL) {
            return close_connection(state, -1);
        }
        if (taken % batch == 0 || taken == count) amqp_basic_ack(state, 1, envelope.delivery_tag, 1);
        amqp_destroy_envelope(&envelope);
    }
    return close_connection(state, now() - began);
}
