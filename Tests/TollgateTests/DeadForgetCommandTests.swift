import Foundation
import Messages
import Synchronization
import Testing
import Tollgate

@Suite("The command that forgets dead letters")
struct DeadForgetCommandTests {
    private static let time = Timestamp(clamping: 1_800_000_000_000)
    private static let service = ServiceName.receiptValidator

    private static func letter(_ number: Int) -> DeadLetterView {
        DeadLetterView(
            number: number, id: MessageID(rawValue: "m\(number)"), bucket: 0, kind: "k.v1", key: nil, reason: "r",
            step: "s", text: "t", version: "1", exchange: "e", routingKey: "k", attempts: 1, generation: 0,
            firstFailure: time, lastFailure: time, size: 0)
    }

    /// A partition that has seven letters, and ends three at a time, as far as `most`; the first three are gone.
    private static func answers(most: Int = 7, _ end: DeadForget.Value) -> FakeInstallation.Answers {
        let done = Mutex(0)
        return { kind, body in
            switch kind {
            case AuditPageGet.kind: return Answer.applied(AuditPageGet.Value(partitions: 1, entries: [], next: nil))
            case DeadFreeze.kind:
                guard let freeze = try? MessageJSON.decode(DeadFreeze.self, from: body),
                    freeze.filter.isWherever == true
                else { return nil }
                var value = DeadFreeze.Value(count: 7, guarded: 0, oldest: time, newest: time)
                (value.discarded, value.examples, value.forgotten) = (2, [9, 8], 4)
                return Answer.applied(value)
            case DeadPageGet.kind:
                guard let get = try? MessageJSON.decode(DeadPageGet.self, from: body) else { return nil }
                let letters = (get.filter.numbers ?? []).map(letter)
                return Answer.applied(DeadPageGet.Value(letters: letters, next: nil))
            case DeadForget.kind:
                return done.withLock { done -> Answer<DeadForget.Value> in
                    let count = min(3, most - done)
                    done += count
                    guard count > 0 else { return .applied(end) }
                    return .applied(DeadForget.Value(forgotten: done > 3 ? count : 0, remaining: 7 - done))
                }
            case DeadOutcomesGet.kind:
                let left = end.remaining
                let counts = [(ReplayOutcome.forgotten, 4 - left), (.gone, 3), (.frozen, left)].filter { $0.1 > 0 }.map
                {
                    OutcomeCount(outcome: $0.0, reason: nil, count: $0.1, example: 9, text: nil)
                }
                return Answer.applied(DeadOutcomesGet.Value(filter: LetterFilter(), outcomes: counts))
            default: return nil
            }
        }
    }

    private static func ending(_ words: String..., by answers: @escaping FakeInstallation.Answers) async throws -> (
        Tool.Ending, Int
    ) {
        let installation = FakeInstallation()
        let ending = try await installation.answering(service, by: answers) {
            await installation.tool(
                ["dead", "forget", "--why", "request 17", "--service", "\(service)", "--by", "ann"] + words)
        }
        return (ending, installation.messages.filter { $0.kind == DeadForget.kind }.count)
    }

    @Test("Without --yes it says how many, where, which, and what is forgotten already, and forgets nothing")
    func preview() async throws {
        let (ending, count) = try await Self.ending(by: Self.answers(.init(forgotten: 0, remaining: 0)))

        #expect(ending.status == .success && count == 0, "\(ending)")
        for text in [
            "7 dead letters selected", "7 of receipt-validator; 2 in the archive", "receipt-validator.0/9  k.v1",
            "receipt-validator.0/8", "4 left out: forgotten", "nothing has been changed. To forget for good exactly",
        ] { #expect(ending.output.contains(text), "\(ending.output)") }
    }

    @Test("With it, portion after portion until all is forgotten, also where all of a portion is gone")
    func portions() async throws {
        let (ending, count) = try await Self.ending("--yes", by: Self.answers(.init(forgotten: 0, remaining: 0)))

        #expect(ending.status == .success && count == 3, "\(ending)")
        #expect(ending.output.contains("4  forgotten: nothing is kept"), "\(ending.output)")
        #expect(ending.output.contains("3  gone") && ending.output.contains("a dead letter anew"), "\(ending.output)")
    }

    @Test("What a replay holds, and what a reader keeps in the log, is said with the command that goes on")
    func held() async throws {
        let end = DeadForget.Value(forgotten: 0, remaining: 2, heldBy: MessageID(rawValue: "other"), isInLog: true)
        let (ending, _) = try await Self.ending("--yes", by: Self.answers(most: 5, end))

        #expect(ending.status == .failed, "\(ending)")
        for text in [
            "2 at receipt-validator.0 are being replayed; end that with: tollgate dead replay --preview other --yes",
            "tollgate dead forget --why 'request 17' --preview ", "its write-ahead log may still have them",
        ] { #expect(ending.output.contains(text), "\(ending.output)") }
    }

    @Test("A forgotten letter is shown as one, is not edited, and not exported")
    func husk() async throws {
        var husk = Self.letter(3)
        husk.discarded = .init(at: Self.time, by: "ann", why: "")
        husk.forgotten = .init(at: Self.time, by: "bob", why: "request 17")
        let letters = [husk]
        let installation = FakeInstallation()
        func tool(_ words: String...) async throws -> Tool.Ending {
            try await installation.answering(Self.service) { kind, body in
                guard kind == DeadPageGet.kind else {
                    return Answer.applied(AuditPageGet.Value(partitions: 1, entries: [], next: nil))
                }
                let isMeant = (try? MessageJSON.decode(DeadPageGet.self, from: body))?.filter.isDiscarded == true
                return Answer.applied(DeadPageGet.Value(letters: isMeant ? letters : [], next: nil))
            } while: {
                await installation.tool(["dead"] + words)
            }
        }
        let shown = try await tool("show", "receipt-validator.0/3")
        #expect(shown.status == .success && shown.output.contains("by bob: request 17"), "\(shown)")
        #expect(shown.output.contains("nothing is kept of what it said") && !shown.output.contains("body"))
        let edited = try await tool("edit", "receipt-validator.0/3", "--body", "/dev/null")
        #expect(edited.status == .failed && edited.complaint.contains("it is forgotten"), "\(edited)")
        let exported = try await tool("export", "--discarded", "--service", "receipt-validator")
        #expect(exported.status == .success && installation.written.isEmpty, "\(exported)")
    }
}
