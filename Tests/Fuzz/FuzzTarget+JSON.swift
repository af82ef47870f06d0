import JSON

extension FuzzTarget {
    /// The scanner in front of Codable, and Codable behind it; and objects that are read member by member.
    static let json = FuzzTarget(
        name: "json",
        run: { bytes in
            if let object = try? JSONObject(bytes, allowsNUL: true) {
                for name in object.names.prefix(32) {
                    guard object.range(of: name) != nil else { fatalError("a member has no value") }
                    _ = try? object.string(name)
                }
            } else if (try? JSONObject(bytes)) != nil {
                fatalError("what has no NUL is taken only where none is allowed")
            }
            guard let value = try? JSONCoding.decode(JSONValue.self, from: bytes) else { return }
            guard let text = try? JSONCoding.encode(value) else { fatalError("cannot be written again") }
            // Escapes can make it longer than what was read.
            guard (try? JSONCoding.decode(JSONValue.self, from: text, limits: JSONLimits(bytes: 8 << 20))) != nil else {
                fatalError("what was written cannot be read")
            }
        },
        samples: {
            [
                #"{"a":[1,2.5e3,null,true,"\u00e9\n"],"b":{"c":{}}}"#, #"{"\u0061\u0000":"\u0000"}"#, "[]",
                "9223372036854775807",
            ].map {
                Array($0.utf8)
            }
        })
}
