import JSON

/// A decoder of outside bytes: whatever it is given, it must answer, in bounded time, and the process lives.
struct FuzzTarget: Sendable {
    /// Its name on the command line.
    let name: String
    /// Decodes; what it answers does not matter.
    let run: @Sendable ([UInt8]) -> Void
    /// Inputs that the decoder accepts, to begin with.
    let samples: @Sendable () throws -> [[UInt8]]

    /// Every decoder of this repository that reads what strangers send.
    static let all: [FuzzTarget] = [
        FuzzTarget(
            name: "json",
            run: { bytes in
                guard let value = try? JSONCoding.decode(JSONValue.self, from: bytes) else { return }
                // What was accepted can be written, and reads as the same again.
                guard let text = try? JSONCoding.encode(value) else { fatalError("cannot be written again") }
                guard
                    let again = try? JSONCoding.decode(JSONValue.self, from: text, limits: JSONLimits(bytes: 8 << 20)),
                    again == value
                else { fatalError("does not read as what was written") }
            },
            samples: {
                [#"{"a":[1,2.5e3,null,true,"\u00e9\n"],"b":{"c":{}}}"#, "[]", "9223372036854775807"].map {
                    Array($0.utf8)
                }
            })
    ]
}
