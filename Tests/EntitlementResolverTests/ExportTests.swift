import Lane
import Messages
import SQLite
import Testing

@testable import EntitlementResolver

@Suite("Export of a user")
struct ExportTests {
    static func pages(of user: AppUserID, size: Int, _ store: ResolverStore) async throws -> [UserExportPage] {
        var pages: [UserExportPage] = []
        var after: String?
        repeat {
            let verdict: Verdict<UserExportPage> = try await store.database.read { [after] snapshot in
                try ExportUser(pageSize: size).answer(
                    UserExport(organisation: .demo, user: user, after: after), in: snapshot)
            }
            guard case .applied(let page) = verdict else { return pages }
            pages.append(page)
            after = page.next
        } while after != nil && pages.count < 100
        return pages
    }

    @Test(
        "It has all that was said, what he holds and held, and what was known when; on pages of any size",
        arguments: [1, 2, 200])
    func all(size: Int) async throws {
        let store = try await ResolverStore.ofTunes()
        try await store.verify(.period(0))
        try await store.claim(.ben, day: -9)
        try await store.claim(.ben, on: OriginalTransactionID(rawValue: "2000/a"), day: -8)
        try await store.claim(.ann, on: OriginalTransactionID(rawValue: "2000/a"), day: -7)
        try await store.settle(ErasureTests.identify(day: -6))

        let pages = try await Self.pages(of: .ben, size: size, store)

        #expect(pages.flatMap(\.facts).map(\.value) == [.text("Ben")])
        #expect(pages.flatMap(\.told).map(\.state.entitlement) == [.pro])
        #expect(pages.flatMap(\.holdings).map(\.originalTransactionID.rawValue) == ["1000", "2000/a"])
        #expect(pages.flatMap(\.holdings).map(\.isHeld) == [true, false])
        #expect(pages.flatMap(\.holdings).first?.subscriptions.first?.transactions.map(\.product) == [.monthly])
        let known = pages.flatMap(\.history)
        #expect(known.filter { $0.sort == "link" }.count == 3)
        #expect(Set(known.map(\.key)).count == known.count)
    }

    @Test("Of somebody whom nobody has named there is nothing")
    func unknown() async throws {
        #expect(try await Self.pages(of: .ann, size: 9, ResolverStore.ofTunes()).isEmpty)
    }
}
