/// Looks at JSON as Codable cannot: byte by byte, before it is decoded.
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
}
