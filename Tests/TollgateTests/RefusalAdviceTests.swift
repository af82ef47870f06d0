import Messages
import Testing

@testable import Tollgate

@Suite("What helps where a service says no")
struct RefusalAdviceTests {
    @Test("Where advice names a command, there is one", arguments: Refusal.remedies.sorted { $0.key < $1.key })
    func commands(reason: String, advice: String) {
        let words = advice.split(separator: " ").map { String($0.prefix { $0 != "," }) }
        guard words.first == "tollgate" else { return }
        #expect(Tool.commands.contains { words.dropFirst().starts(with: $0.layout.path) }, "\(reason)")
    }

    @Test("Of other refusals nothing is made up")
    func none() { #expect(Refusal("holder_changed", "It has moved").advice == nil) }
}
