/// Looks at JSON in ways that Codable cannot: before it is decoded, and byte by byte.
public enum JSONScanner {
    /// Refuses what the decoder would let pass or would choke on.
    ///
    /// One pass, linear in the text. After it the text is known to be RFC 8259 JSON in valid UTF-8, within the
    /// limits, without a name that occurs twice in one object (compared after unescaping), without `\u0000` and
    /// lone surrogates, and without anything behind it.
    public static func check(_ bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONError) {
        var reader = JSONReader(bytes, limits: limits)
        try reader.read()
    }

    /// Where the value of a top-level member is, exactly as it was written.
    ///
    /// `nil` when there is none, and when the text is no acceptable JSON object. To read several members, make a
    /// ``JSONObject``.
    public static func member(
        _ name: String, of bytes: [UInt8], limits: JSONLimits = JSONLimits()
    ) -> Range<Int>? {
        guard let object = try? JSONObject(bytes, limits: limits) else { return nil }
        return object.range(of: name)
    }
}
