/// The steps that a user was shown, by number, each with what he answered; packed, since there is one for every user.
///
/// Each is two bytes of number, a byte of length and as many bytes of answer; the length 255 says that there is none.
package struct StepsReached: Hashable, Sendable {
    package let bytes: [UInt8]

    /// As it was stored.
    package init(bytes: [UInt8] = []) { self.bytes = bytes }

    /// - Parameter answers: by number; a longer one than 254 bytes is cut off.
    package init(_ answers: [UInt16: String?]) {
        var bytes: [UInt8] = []
        for (number, answer) in answers.sorted(by: { $0.key < $1.key }) {
            bytes += [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
            guard let answer else {
                bytes.append(Self.none)
                continue
            }
            let text = Array(answer.utf8.prefix(Int(Self.none) - 1))
            bytes += [UInt8(text.count)] + text
        }
        self.bytes = bytes
    }

    private static let none: UInt8 = 255

    /// Each step; what is cut off at the end is passed over.
    package func forEach(_ visit: (_ number: Int, _ answer: ArraySlice<UInt8>?) -> Void) {
        var rest = bytes[...]
        while rest.count >= 3 {
            let (start, length) = (rest.startIndex, rest[rest.startIndex + 2])
            let number = Int(rest[start]) | Int(rest[start + 1]) << 8
            rest = rest.dropFirst(3)
            guard length != Self.none else {
                visit(number, nil)
                continue
            }
            guard rest.count >= Int(length) else { return }
            visit(number, rest.prefix(Int(length)))
            rest = rest.dropFirst(Int(length))
        }
    }
}
