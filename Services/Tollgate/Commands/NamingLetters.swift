internal import JSON
internal import Messages
internal import Messaging

/// Dead letters that name a user: they are an operator's, and nothing deletes them by itself.
struct NamingLetters: Encodable, Sendable {
    /// What finds them: his name as a body has it.
    let text: String
    /// How many wait for an operator, by service.
    private(set) var waiting: [String: Int] = [:]
    /// How many were discarded, and are kept in the archive.
    private(set) var discarded: [String: Int] = [:]
    /// Services that do not answer.
    private(set) var silent: [ServiceName] = []

    /// The most letters that are looked at in one partition.
    private static let most = 100_000

    /// Asks every partition of every service.
    init(of user: AppUserID, _ organisation: OrganisationID, _ conversation: Conversation) async throws {
        let office = DeadLetterOffice(conversation: conversation)
        let places: [Place]
        (places, silent) = try await office.places(of: DeadSelection.services([]))
        // Whoever writes JSON in another way is found by the look at the letter.
        text = String(decoding: try MessageJSON.encode(user), as: UTF8.self)
        for place in places {
            for isDiscarded in [false, true] {
                var filter = LetterFilter(isDiscarded: isDiscarded)
                filter.text = text
                var count = 0
                try await office.forEachPage(filter, at: place, isWhole: false) { letters in
                    count += letters.count
                    return count < Self.most
                }
                guard count > 0 else { continue }
                if isDiscarded {
                    discarded[place.service.rawValue, default: 0] += count
                } else {
                    waiting[place.service.rawValue, default: 0] += count
                }
            }
        }
    }

    /// For people: a line for each thing to know.
    var lines: [String] {
        func total(_ counts: [String: Int]) -> String {
            counts.sorted { $0.key < $1.key }.map { "\($0.value) of \($0.key)" }.joined(separator: ", ")
        }
        let option = "--text \(text.shellQuoted)"
        var lines: [String] = []
        if !waiting.isEmpty {
            lines.append(
                """
                dead letters with his name in them stay: \(total(waiting)); replayed, those from before bring nothing back. \
                tollgate dead list \(option) shows them, tollgate dead discard \(option) --why erased --yes puts them \
                into the archive, with what is in them
                """)
        }
        if !discarded.isEmpty {
            lines.append(
                """
                and in the archive: \(total(discarded)); nothing deletes from it: tollgate dead list --discarded \(option) \
                shows them
                """)
        }
        lines += silent.map { "\($0) does not answer: its dead letters were not looked at" }
        return lines
    }
}
