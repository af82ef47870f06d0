import JSON

extension FuzzTarget {
    /// The scanner in front of Codable, and Codable behind it.
    static let json = FuzzTarget(
        name: "json",
        run: { bytes in
            guard let value = try? JSONCoding.decode(JSONValue.self, from: bytes) else { return }
            guard let text = try? JSONCoding.encode(value) else { fatalError("cannot be written again") }
            // Escapes can make it longer than what was read.
            guard (try? JSONCoding.decode(JSONValue.self, from: text, limits: JSONLimits(bytes: 8 << 20))) != nil else {
                fatalError("what was written cannot be read")
            }
        },
        samples: {
            [#"{"a":[1,2.5e3,null,true,"\u00e9\n"],"b":{"c":{}}}"#, "[]", "9223372036854775807"].map {
                Array($0.utf8)
            }
        })
}
