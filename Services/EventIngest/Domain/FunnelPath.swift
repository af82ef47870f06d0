package import Messages

/// How far a user has come in an app: all that the funnel counts of him.
package struct FunnelPath: Hashable, Sendable {
    /// What is known of one environment.
    package struct Sales: Hashable, Sendable {
        /// When he saw a paywall first.
        package var exposedAt: Timestamp?
        /// When he bought something first.
        package var purchasedAt: Timestamp?
        /// Whether he has got back all that he paid.
        package var isRefunded = false

        package init(exposedAt: Timestamp? = nil, purchasedAt: Timestamp? = nil, isRefunded: Bool = false) {
            self.exposedAt = exposedAt
            self.purchasedAt = purchasedAt
            self.isRefunded = isRefunded
        }

        package var isEmpty: Bool { exposedAt == nil && purchasedAt == nil }
    }

    package var steps: StepsReached
    /// When he was shown a step first.
    package var steppedAt: Timestamp?
    package var production: Sales
    package var sandbox: Sales

    package init(
        steps: StepsReached = StepsReached(), steppedAt: Timestamp? = nil, production: Sales = Sales(),
        sandbox: Sales = Sales()
    ) {
        self.steps = steps
        self.steppedAt = steppedAt
        self.production = production
        self.sandbox = sandbox
    }

    /// Nothing is left to count.
    package var isEmpty: Bool { steppedAt == nil && production.isEmpty && sandbox.isEmpty }
}

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
