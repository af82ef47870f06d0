import Foundation
import JSON
import Messages
import StoreArtifacts
import StoreSimulator
import TestSupport

/// Plays a line: sends each step, waits until it shows, and keeps what the next one has to know.
struct LinePlay {
    let line: Line
    let stage: Stage
    let seed: UInt64
    /// For what is sent: the same in each run.
    var content: SeededGenerator
    /// For doubles and the like.
    var dice: SeededGenerator
    var purchase: Purchase?
    var holder: Step.Person?
    var phone: SimulatedDevice?
    var token: String?
    /// The last thing said of each.
    var said: [Step.Person: Int] = [:]
    var events: [Step.Person: Int] = [:]
    /// What a server was told of what it asked about, by step and artifact.
    var verdicts: [String: JSONValue] = [:]
    var step = 0
    private var lastDate = Date.distantPast

    init(_ line: Line, on stage: Stage, seed: UInt64) {
        (self.line, self.stage, self.seed) = (line, stage, seed)
        content = SeededGenerator(seed: line.seed)
        dice = SeededGenerator(seed: line.seed ^ 0x5EED)
    }

    /// - Throws: what could not be brought about, with the step.
    mutating func run() async throws {
        for (number, next) in line.steps.enumerated() {
            step = number
            do {
                try await play(next)
            } catch {
                throw TestFailure("line \(line.number), step \(number), \(next.name): \(error)")
            }
            stage.tally.add(next.name)
        }
    }

    private mutating func play(_ next: Step) async throws {
        switch next {
        case .identify(let person, let door): try await identify(person, through: door)
        case .identifyThrice(let person): try await identifyThrice(person)
        case .paywall: try await fetchPaywall()
        case .impression(let door): try await seePaywall(through: door)
        case .buy(let door): try await buy(through: door)
        case .renew(let door): try await renew(through: door)
        case .receipt: try await sendReceipt()
        case .verify: try await askForVerdicts()
        case .catchUp: try await catchUp()
        case .cancel(let door): try await cancel(through: door)
        case .refund(let door): try await refund(through: door)
        case .claim(let person, let door): try await claim(for: person, through: door)
        case .hearsay(let door): try await claimWithoutEvidence(through: door)
        case .undo: try await undo()
        case .unpin: try await unpin()
        case .events(let person, let door): try await tellEvents(of: person, through: door)
        case .attest: try await enrol()
        case .assert: try await renewToken()
        case .revoke: try await revoke()
        case .lateApp: try await buyInLateApp()
        case .map: try await mapInLateApp()
        case .names: try await ruleNames()
        case .turn: try await turnVerdicts()
        case .serverKey: try await passKey()
        case .look: try await look()
        case .experiment: try await conductExperiment()
        case .erase(let person): try await erase(person)
        case .poison: try await poison()
        }
    }

    // MARK: Names

    func user(_ person: Step.Person) -> String { "t\(seed)-\(line.number)-\(person.rawValue)" }
    /// The app that is connected after something was bought in it.
    var lateApp: String { "com.example.late-\(line.number)" }
    var install: String { "i\(seed)-\(line.number)" }
    /// Stores of different lines have no transaction in common.
    var storeSeed: UInt32 { UInt32(truncatingIfNeeded: line.number * 2 + 1) }
    var receiptSeed: UInt32 { UInt32(truncatingIfNeeded: line.number + 1_000_000) }
    var original: String { purchase?.latest.originalTransactionID ?? "" }

    /// Now, by whole milliseconds as stores write it, and later than any date before.
    mutating func nextDate() -> Date {
        let now = (Date().timeIntervalSince1970 * 1000).rounded(.down) / 1000
        lastDate = max(Date(timeIntervalSince1970: now), lastDate.addingTimeInterval(0.001))
        return lastDate
    }

    mutating func hits(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &dice) < share }
}
