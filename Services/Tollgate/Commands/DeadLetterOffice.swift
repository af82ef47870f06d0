internal import Messages
internal import Messaging

/// A partition of a service, as operators name it.
struct Place: Hashable, Sendable, Comparable, CustomStringConvertible {
    let service: ServiceName
    let partition: Int

    var description: String { "\(service).\(partition)" }

    static func < (left: Place, right: Place) -> Bool {
        (left.service, left.partition) < (right.service, right.partition)
    }
}

/// Asks partitions about their dead letters.
struct DeadLetterOffice: Sendable {
    let conversation: Conversation

    /// How long a partition is asked again that has no owner at the moment.
    private static let patience = Duration.seconds(1)

    /// Asks one partition.
    ///
    /// - Throws: ``ToolFailure``; `Refusal` where the partition says no.
    func ask<Message: PartitionMessage>(_ message: Message, at place: Place) async throws -> Message.Value {
        let deadline = ContinuousClock.now + Self.patience
        while true {
            do {
                return try await conversation.ask(
                    Message.kind, message, of: place.service, partition: place.partition, as: Message.Value.self)
            } catch let refusal as Refusal where refusal.reason == "busy" && !Task.isCancelled {
                // Another operator's portion is done in a moment; the partition keeps no list of who waits.
                try await Task.sleep(for: .milliseconds(50))
            } catch let refusal as Refusal where refusal.reason == "store_unavailable" {
                throw ToolFailure(
                    .unavailable, "\(place): \(refusal.message)",
                    advice: "is its disk full? Its log says; what was done stays done, and repeating it is safe")
            } catch RequestError.noOwner where ContinuousClock.now < deadline && !Task.isCancelled {
                // Between two owners, as at a restart: the next one is there in a moment, and does not announce itself.
                try await Task.sleep(for: .milliseconds(200))
            } catch let error as RequestError {
                throw ToolFailure(error, asking: place.service, isDurable: false)
            }
        }
    }

    /// The partitions that a selection may be about: each service says itself how many it has.
    ///
    /// - Returns: also the services that do not answer, unless they were asked for by name.
    func places(of selection: DeadSelection) async throws -> (there: [Place], silent: [ServiceName]) {
        var there: [Place] = []
        var silent: [ServiceName] = []
        for service in selection.services {
            let first = Place(service: service, partition: 0)
            do {
                let count = try await ask(AuditPageGet(partition: 0, limit: 1), at: first).partitions
                there += (0..<max(1, count)).map { Place(service: service, partition: $0) }
            } catch let failure as ToolFailure {
                guard !selection.isAboutNamedServices, failure.status == .unavailable else { throw failure }
                silent.append(service)
            }
        }
        guard !there.isEmpty else {
            throw ToolFailure(
                .unavailable, "no service answers",
                advice: "are the services running? --straight reads what the broker condemned without them")
        }
        return (there, silent)
    }

    /// Every page of letters, newest first; `visit` says whether it wants more.
    func forEachPage(
        _ filter: LetterFilter, at place: Place, before start: Int? = nil, limit: Int = 500, isWhole: Bool,
        _ visit: ([DeadLetterView]) async throws -> Bool
    ) async throws {
        var cursor = start
        repeat {
            let page = try await ask(
                DeadPageGet(
                    partition: place.partition, filter: filter, before: cursor, limit: limit, isWhole: isWhole),
                at: place)
            guard try await visit(page.letters) else { return }
            guard page.next.map({ $0 < cursor ?? .max }) ?? true else {
                throw ToolFailure(.failed, "\(place) goes round in its dead letters")
            }
            cursor = page.next
        } while cursor != nil
    }

    /// The one letter that is meant.
    func letter(_ selection: DeadSelection) async throws -> (place: Place, letter: DeadLetterView) {
        var found: [(Place, DeadLetterView)] = []
        for place in try await places(of: selection).there {
            for isDiscarded in [false, true] {
                guard var filter = selection.filter(at: place) else { continue }
                filter.isDiscarded = isDiscarded
                // A page ends early where letters are large: there may be another of this id.
                try await forEachPage(filter, at: place, limit: 20, isWhole: true) { letters in
                    found += letters.map { (place, $0) }
                    return found.count < 20
                }
            }
        }
        guard let only = found.first else {
            throw ToolFailure(.failed, "there is no such dead letter", advice: "tollgate dead list names them")
        }
        guard found.count == 1 else {
            let names = found.map { "\($0)/\($1.number)" }.joined(separator: ", ")
            throw ToolFailure(.failed, "several dead letters have this id: \(names)", advice: "name one of these")
        }
        return only
    }
}

extension ToolFailure {
    /// What it means that `place` said no.
    init(_ refusal: Refusal, from place: Place) {
        self.init(.failed, "\(place) says no: \(refusal)")
    }
}
