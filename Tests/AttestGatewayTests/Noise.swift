import TestSupport

/// Bodies that are nearly good, and bodies that are nothing.
struct Noise {
    private var random: SeededGenerator
    private let good: [UInt8]

    /// - Parameter good: a body that its route takes.
    init(seed: UInt64, good: [UInt8] = Self.write) {
        random = SeededGenerator(seed: seed)
        self.good = good
    }

    /// What the SDK's routes take.
    static let write = Array(
        """
        {"appUserId":"user_42","bundleId":"com.example.tunes","originalTransactionId":"2000000123456789","platform":"ios",\
        "attributes":{"plan":"pro","age":42,"x":null,"y":1.5e3,"z":true},"jws":"e30.e30.c2ln","installId":"i","n":[[{}]]}
        """.utf8)
    private static let tokens: [[UInt8]] = [
        "{", "}", "[", "]", "\"", ":", ",", "null", "true", "1e999", "-", "\\u0000", "\\ud800", "\\", "\u{feff}",
        "\"appUserId\":", "\"attributes\":", "\"bundleId\":1,", "9999999999999999999999", "é", "\u{0}",
        "\"artifact\":", "\"kind\":null,", "\"signedPayload\":", "\"notification_type\":1,", ".",
    ].map { Array($0.utf8) }

    mutating func body() -> [UInt8] {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return bytes(Int.random(in: 0..<200, using: &random))
        case 1: return Array(good.prefix(Int.random(in: 0..<good.count, using: &random)))
        case 2: return (0..<Int.random(in: 1..<40, using: &random)).flatMap { _ in token() }
        default:
            var body = good
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: 0..<body.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: body[index] = UInt8.random(in: 0...255, using: &random)
                case 1: body.remove(at: index)
                default: body.insert(contentsOf: token(), at: index)
                }
            }
            return body
        }
    }

    private mutating func token() -> [UInt8] { Self.tokens.randomElement(using: &random) ?? [] }

    private mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    }
}
