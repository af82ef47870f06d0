package import JSON
package import Messages
internal import ServiceKit

/// The AsyncAPI 3.0 document of an installation: every kind of message, every exchange and queue it travels through, and
/// of each kind an example that can be pushed as it stands (asyncapi.com/docs/reference/specification/v3.0.0).
///
/// Kinds come from the catalogue, queues from the topology, schemas from the types. Only sentences and examples are
/// written by hand: ``MessageExample``.
package struct AsyncAPIDocument {
    let layout: Topology.Layout
    let topology: Topology
    let book = SchemaBook()

    /// Of an installation cut in this way.
    package init(_ layout: Topology.Layout) {
        self.layout = layout
        topology = Topology(layout)
    }

    /// The whole document.
    ///
    /// - Throws: when a message has a type that no schema can be made of.
    package func value() throws -> JSONValue {
        let messages = try messages()
        return [
            "asyncapi": "3.0.0",
            "info": [
                "title": "Tollgate's messages", "version": .string(Release.version),
                "description": .string(Self.description),
                "license": ["name": "Apache-2.0", "url": "https://www.apache.org/licenses/LICENSE-2.0"],
            ],
            "defaultContentType": "application/json",
            "servers": [
                "broker": [
                    "host": "localhost:5672", "protocol": "amqp", "protocolVersion": "0-9-1",
                    "description": "RabbitMQ 3.10 or later, with the exchanges and queues of tollgate topology apply.",
                ]
            ],
            "channels": .object(channels),
            "operations": .object(operations),
            "components": [
                "messages": .object(messages), "schemas": .object(book.schemas),
                "x-properties": EnvelopeDescription.properties,
            ],
        ]
    }

    private static let description = """
        Services talk over RabbitMQ only, and any AMQP tool may talk along: a body is the JSON of one message, the header \
        kind (or the property type) says which, the routing key names service and bucket. Bucket: CRC-32 of the key mod \
        64 (Python: zlib.crc32(key.encode()) % 64). Delivered at least once, in any order, applied once. A command ends \
        as applied, refused, or a dead letter; tollgate reconcile shows it. Members that a service does not know are \
        passed over. Each message has examples, and x-publish with the command that pushes the first one. The same bytes \
        without a message_id are one message for 24 hours: whoever wants many sets message_id or another key. \
        components.x-properties says what AMQP's properties mean. Operations are Tollgate's: it receives what others push.
        """
}
