import AttestGateway
import HTTP
import Messages
import Synchronization
import Testing

@Suite("Idempotency keys")
struct IdempotencyTests {
    @Test("The id of a request derives from app, route and key, that of its message from the caller's trust too")
    func messageID() throws {
        let key = try #require(try IdempotencyKey(of: HTTP.Request(headers: ["Idempotency-Key": "k1"])))
        let other = try #require(try IdempotencyKey(of: HTTP.Request(headers: ["idempotency-key": "k2"])))
        let elsewhere = AppRecord(organisation: "umbrella", app: "com.example.tunes", version: 1, changedAt: .epoch)

        let id = key.requestID(app: .tunes, route: "identify")

        #expect(id == key.requestID(app: .tunes, route: "identify"))
        #expect(id != key.requestID(app: .tunes, route: "attribute"))
        #expect(id != key.requestID(app: elsewhere, route: "identify"))
        #expect(id != other.requestID(app: .tunes, route: "identify"))
        let sent = [Trust.attested, .unverified].map { key.messageID(app: .tunes, route: "identify", trust: $0) }
        #expect(Set(sent).count == 2 && sent.allSatisfy { $0.rawValue.hasPrefix("sha256:") })
    }

    @Test("What a genuine app has said is not said again by another caller; the other way round it is")
    func trusts() {
        let answers = RememberedAnswers { 0 }
        let (once, twice) = (MessageID(rawValue: "once"), MessageID(rawValue: "twice"))

        #expect(answers.begin(once, digest: [1], from: .attested) == .new)
        answers.end(once, answer: [9], from: .attested)
        #expect(answers.begin(once, digest: [1], from: .unverified) == .answered([9]))
        #expect(answers.begin(once, digest: [2], from: .unverified) == .otherBody)

        #expect(answers.begin(twice, digest: [1], from: .unverified) == .new)
        answers.end(twice, answer: [8], from: .unverified)
        #expect(answers.begin(twice, digest: [1], from: .attested) == .unanswered)
        answers.end(twice, answer: [9], from: .attested)
        #expect(answers.begin(twice, digest: [1], from: .unverified) == .answered([9]))
    }

    @Test("Whoever guesses a key keeps no genuine app out with another body under it")
    func guessed() {
        let answers = RememberedAnswers { 0 }
        let id = MessageID(rawValue: "guessed")
        #expect(answers.begin(id, digest: [6], from: .unverified) == .new)
        answers.end(id, answer: [6], from: .unverified)

        #expect(answers.begin(id, digest: [1], from: .attested) == .unanswered)
        #expect(answers.begin(id, digest: [2], from: .attested) == .otherBody)
        answers.end(id, answer: [9], from: .attested)

        #expect(answers.begin(id, digest: [1], from: .attested) == .answered([9]))
        #expect(answers.begin(id, digest: [6], from: .unverified) == .otherBody)
    }

    @Test("A key is 1 to 255 printable characters", arguments: ["", String(repeating: "x", count: 256), "é", "a\tb"])
    func malformed(text: String) {
        #expect(throws: HTTPError.self) { try IdempotencyKey(of: HTTP.Request(headers: ["Idempotency-Key": text])) }
    }

    @Test("A repeat gets the first answer, another body is told apart")
    func repeats() {
        let answers = RememberedAnswers { 0 }
        let id = MessageID(rawValue: "m")

        #expect(answers.begin(id, digest: [1], from: .unverified) == .new)
        #expect(answers.begin(id, digest: [1], from: .unverified) == .unanswered)
        #expect(answers.begin(id, digest: [2], from: .unverified) == .otherBody)
        answers.end(id, answer: [9], from: .unverified)
        #expect(answers.begin(id, digest: [1], from: .unverified) == .answered([9]))
        #expect(answers.begin(id, digest: [2], from: .unverified) == .otherBody)
    }

    @Test("After its lifetime it is forgotten", arguments: [(599_999, true), (600_000, false)])
    func lifetime(age: Int64, isRemembered: Bool) {
        let time = Mutex<Int64>(0)
        let answers = RememberedAnswers { time.withLock { $0 } }
        let id = MessageID(rawValue: "m")
        _ = answers.begin(id, digest: [1], from: .unverified)
        answers.end(id, answer: [9], from: .unverified)

        time.withLock { $0 = age }

        #expect(answers.begin(id, digest: [1], from: .unverified) == (isRemembered ? .answered([9]) : .new))
    }

    @Test("However many keys come, the newest stay and the oldest go")
    func bounded() {
        let answers = RememberedAnswers(capacity: 100) { 0 }
        for number in 0..<1_000 {
            let id = MessageID(rawValue: "\(number)")
            _ = answers.begin(id, digest: [1], from: .unverified)
            answers.end(id, answer: [9], from: .unverified)
        }

        #expect(answers.begin(MessageID(rawValue: "999"), digest: [1], from: .unverified) == .answered([9]))
        #expect(answers.begin(MessageID(rawValue: "0"), digest: [1], from: .unverified) == .new)
    }
}
