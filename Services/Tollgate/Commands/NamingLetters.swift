internal import JSON
internal import Messages
internal import Messaging

/// Dead letters that name a user: they are an operator's, and nothing deletes them by itself.
struct NamingLetters: Encodable, Sendable {
    /// What finds them: his name as a body has it.
    let text: String
    /// What finds those whose body does not say it so: his key.
    let key: String
    /// How many wait for an operator, by service.
    private(set) var waiting: [String: Int] = [:]
    /// How many were discarded, and are kept in the archive.
    private(set) var discarded: [String: Int] = [:]
    /// Whether some of them are found by the key alone.
    private(set) var isKeyNeeded = false
    /// Services that do not answer.
    private(set) var silent: [ServiceName] = []

    /// The most letters that are looked at in one partition.
    private static let most = 100_000

    /// Asks every partition of every service.
    init(of user: AppUserID, _ organisation: OrganisationID, _ conversation: Conversation) async throws {
        let office = DeadLetterOffice(conversation: conversation)
        let places: [Place]
        (places, silent) = try await office.places(of: DeadSelection.services([]))
        // Whoever writes JSON in another way is found by the key, or by the look at the letter.
        text = String(decoding: try MessageJSON.encode(user), as: UTF8.self)
        key = Key.user(organisation, user)
        for place in places {
            for isDiscarded in [false, true] {
                var filter = LetterFilter(isDiscarded: isDiscarded)
                filter.text = text
                let saying = try await Self.numbers(filter, at: place, office)
                (filter.text, filter.keys) = (nil, [key])
                let keyed = try await Self.numbers(filter, at: place, office).subtracting(saying)
                let count = saying.count + keyed.count
                guard count > 0 else { continue }
                if !keyed.isEmpty { isKeyNeeded = true }
                if isDiscarded {
                    discarded[place.service.rawValue, default: 0] += count
                } else {
                    waiting[place.service.rawValue, default: 0] += count
                }
            }
        }
    }

    private static func numbers(_ filter: LetterFilter, at place: Place, _ office: DeadLetterOffice) async throws
        -> Set<Int>
    {
        var numbers: Set<Int> = []
        try await office.forEachPage(filter, at: place, isWhole: false) { letters in
            numbers.formUnion(letters.map(\.number))
            return numbers.count < most
        }
        return numbers
    }

    /// For people: a line for each thing to know.
    var lines: [String] {
        func total(_ counts: [String: Int]) -> String {
            counts.sorted { $0.key < $1.key }.map { "\($0.value) of \($0.key)" }.joined(separator: ", ")
        }
        let options = ["--text \(text.shellQuoted)"] + (isKeyNeeded ? ["--key \(key.shellQuoted)"] : [])
        var lines: [String] = []
        if !waiting.isEmpty {
            lines.append(
                "dead letters with his name in them stay: \(total(waiting)); replayed, those from before bring nothing back"
            )
        }
        if !discarded.isEmpty { lines.append("with his name in them are in the archive: \(total(discarded))") }
        if !(waiting.isEmpty && discarded.isEmpty) {
            lines.append(
                "look at them, for other organisations may have a user of this name, and let them be forgotten:")
            for option in options {
                if !waiting.isEmpty { lines.append("  tollgate dead list \(option)") }
                if !discarded.isEmpty { lines.append("  tollgate dead list --discarded \(option)") }
                lines.append("  tollgate dead forget \(option) --why erased")
            }
        }
        lines += silent.map { "\($0) does not answer: its dead letters were not looked at" }
        return lines
    }
}
