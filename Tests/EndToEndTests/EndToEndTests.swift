import Testing

/// A broker and the built executables, spoken to over HTTP and AMQP only. One installation at a time: two cores.
@Suite("End to end", .serialized)
struct EndToEnd {}
