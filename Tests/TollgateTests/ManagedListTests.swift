import JSON
import Messages
import Testing
import TestSupport
import Tollgate

@Suite("Answers of the management API")
struct ManagedListTests {
    func queues(_ json: String) throws -> [ManagedQueue] {
        try ManagedList.decode(ManagedQueue.self, from: Array(json.utf8))
    }

    @Test("A queue is read with its arguments by type, whatever else there is")
    func queue() throws {
        let queue = try #require(
            queues(
                """
                [{"name":"q","durable":true,"exclusive":false,"messages":3,"node":"rabbit@x","arguments":
                {"x-queue-type":"quorum","x-delivery-limit":100,"x-single-active-consumer":true,"x-odd":{"a":[1]}},
                "effective_policy_definition":{"max-length":1}}]
                """
            ).first)

        #expect(queue.arguments["x-queue-type"] == .text("quorum"))
        #expect(queue.arguments["x-delivery-limit"] == .integer(100))
        #expect(queue.arguments["x-single-active-consumer"] == .flag(true))
        #expect(queue.arguments["x-odd"] == .some(.none))
        #expect(queue.policySettings == ["max-length"])
        #expect(queue.messages == 3)
    }

    @Test("A queue that was just declared has no numbers yet, and an empty table of arguments is a list")
    func fresh() throws {
        let queue = try #require(queues(#"[{"name":"q","arguments":[],"effective_policy_definition":[]}]"#).first)

        #expect(queue.messages == nil)
        #expect(queue.arguments.isEmpty)
        #expect(queue.policySettings.isEmpty)
    }

    @Test(
        "What is no list of queues is an error, never a crash",
        arguments: [
            "", "{}", "[", "null", "[null]", "[[]]", #"[{"name":7}]"#, #"[{"durable":true}]"#,
            #"{"error":"not_authorised"}"#, #"[{"name":"a","name":"b"}]"#, "<html>", "[{\"name\":\"\\u0000\"}]",
            String(repeating: "[", count: 40), #"[{"name":"q"}] x"#,
        ])
    func hostile(json: String) {
        #expect(throws: JSONError.self) { try queues(json) }
    }

    @Test(
        "Numbers that fit nowhere are no numbers", arguments: ["1e400", "99999999999999999999", "1.5", "-0.1", "true"])
    func numbers(text: String) throws {
        let queue = try queues(#"[{"name":"q","messages":\#(text),"arguments":{"x-delivery-limit":\#(text)}}]"#).first

        #expect(queue == nil || queue?.messages == nil)
        #expect(queue?.arguments["x-delivery-limit"] != .some(.integer(100)))
    }

    @Test("Whatever bytes of an answer are changed, it is read or refused", arguments: [UInt64(1), 2, 3])
    func mutated(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let good = Array(
            #"[{"name":"q","durable":true,"messages":3,"arguments":{"x-delivery-limit":100,"a":"b"}},{"name":"r"}]"#
                .utf8)

        for _ in 0..<2_000 {
            var bytes = good
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            _ = try? ManagedList.decode(ManagedQueue.self, from: bytes)
        }
    }
}
