import Foundation
import SQLite
import Testing

@Suite("Transactions")
struct TransactionTests {
    let store = TemporaryStore()

    @Test("What a transaction wrote is read back after its commit")
    func commit() async throws {
        let database = try await store.create()

        let changes = try await database.write { transaction in
            try transaction.run("INSERT INTO notes (id, body) VALUES (?, ?), (?, ?)", 1, "one", 2, nil)
        }
        let bodies = try await database.read {
            try $0.all("SELECT body FROM notes ORDER BY id") { try $0.textOrNil(0) }
        }

        #expect(changes == 2)
        #expect(bodies == ["one", nil])
    }
}
