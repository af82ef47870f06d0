import Crypto
import Foundation
import Messages
import Messaging
import StoreSimulator
import Testing
import TestSupport

extension EndToEnd {
    @Suite("Messages from strangers", .serialized)
    struct StrangerTests {
        @Test(
            "Without ids, doubled and in any order, straight onto the queues: each is applied once", arguments: [1, 4])
        func straight(partitions: Int) async throws {
            let installation = try await Installation.start(partitions: partitions)
            let load = try PurchaseLoad(200, seed: 20 + UInt32(partitions), signedBy: installation.authority)
            let stranger = try await installation.publisher(as: .load)
            var random = SeededGenerator(seed: 20)

            let messages = (load.purchases + load.purchases + load.purchases.prefix(100)).shuffled(using: &random)
            let publications = try messages.map { try Self.submission(of: $0) }
            let outcomes = await stranger.publish(publications, deadline: .now + .seconds(20))
            #expect(outcomes.allSatisfy { $0 == .confirmed })

            try await load.expectApplied(in: installation)
            let report = try await installation.reconciliation()
            #expect(report.contains("repeated"))
            await installation.tearDown()
        }

        @Test("A forged transaction.verified grants nothing and is a dead letter: not_from_owner")
        func forged() async throws {
            let installation = try await Installation.start()
            let load = try PurchaseLoad(1, seed: 33, signedBy: installation.authority)
            try await load.send(to: installation)
            try await load.expectApplied(in: installation)
            // A year more of what was bought for a month.
            let purchase = load.purchases[0]
            let event = TransactionVerified(
                organisation: OrganisationID(rawValue: Installation.organisation),
                app: AppID(rawValue: Installation.app), isTest: true, digest: ArtifactDigest(rawValue: "00"),
                transaction: StoreTransaction(
                    id: TransactionID(rawValue: "forged"),
                    originalID: OriginalTransactionID(rawValue: purchase.original),
                    product: ProductID(rawValue: Installation.product.id), productType: .autoRenewable,
                    environment: .production, purchasedAt: .now, expiresAt: .now + .seconds(31_536_000),
                    signedAt: .now))
            let body = try MessageJSON.encode(event)

            // The load user may not publish events at all; the operator may, and is not the owner either.
            let loadUser = try await installation.publisher(as: .load)
            var envelope = Envelope(kind: TransactionVerified.kind, id: MessageID(at: .now), body: body)
            envelope.firstUser = ServiceName.receiptValidator.rawValue
            let refused = await loadUser.publish(
                Publication(envelope, to: .event(TransactionVerified.kind, event.bucket), isMandatory: true),
                deadline: .now + .seconds(3))
            #expect(refused != .confirmed)
            let operatorTool = try await installation.publisher(as: .operatorTool)
            let taken = await operatorTool.publish(
                Publication(envelope, to: .event(TransactionVerified.kind, event.bucket), isMandatory: true),
                deadline: .now + .seconds(5))
            #expect(taken == .confirmed)

            let isDead = await eventually {
                (try? await installation.reconciliation())?.contains("not_from_owner") == true
            }
            #expect(isDead)
            let entitlement = try await installation.entitlement(of: purchase.user)
            #expect(entitlement?.transactionId == purchase.original)
            await installation.tearDown()
        }

        @Test("What cannot be decoded is a dead letter with its reason, and its neighbours pass")
        func undecodable() async throws {
            let installation = try await Installation.start()
            let load = try PurchaseLoad(50, seed: 23, signedBy: installation.authority)
            let stranger = try await installation.publisher(as: .load)

            var publications: [Publication] = []
            for (index, purchase) in load.purchases.enumerated() {
                publications.append(try Self.submission(of: purchase))
                let garbage: [[UInt8]] = [
                    [], [0], Array("{".utf8), Array("[1]".utf8), Array("{\"a\":1}".utf8), [0xFF, 0xFE],
                ]
                var envelope = Envelope(properties: MessageProperties(), body: garbage[index % garbage.count])
                if index % 7 != 0 { envelope.kind = ArtifactSubmit.kind }
                envelope.properties.headers["x-foreign"] = .bytes([0, 1, 2])
                publications.append(
                    Publication(envelope, to: .command(.receiptValidator, Bucket.all[index]), isMandatory: true))
            }
            let outcomes = await stranger.publish(publications, deadline: .now + .seconds(20))
            #expect(outcomes.allSatisfy { $0 == .confirmed })

            for purchase in load.purchases {
                let isActive = await eventually {
                    (try? await installation.entitlement(of: purchase.user))?.active == true
                }
                #expect(isActive, "\(purchase.user)")
            }
            let isReported = await eventually {
                let report = try? await installation.reconciliation()
                return report?.contains("undecodable") == true && report?.contains("kind_missing") == true
            }
            #expect(isReported)
            await installation.tearDown()
        }

        @Test("Numbers and checkpoints that a stranger forges make reconcile neither report a loss nor lose its breath")
        func forgedNumbers() async throws {
            let installation = try await Installation.start()
            let load = try PurchaseLoad(1, seed: 25, signedBy: installation.authority)
            let stranger = try await installation.publisher(as: .load)
            let route = Route.command(.receiptValidator, Bucket.all[7])
            let gateway = PublisherID(of: .attestGateway, instance: "1")

            let checkpoint = PublisherCheckpoint(
                publisher: gateway, routingKey: route.routingKey, through: 1000, unconfirmed: NumberSet(),
                isFinal: true)
            let forged = Envelope(
                kind: PublisherCheckpoint.kind, id: MessageID(at: .now), body: try MessageJSON.encode(checkpoint))
            var publications = [Publication(forged, to: route, isMandatory: true)]
            for number in 0..<2000 {
                var publication = try Self.submission(of: load.purchases[0])
                publication.envelope.sequence = PublisherNumber(
                    publisher: PublisherID(rawValue: "\(number)" + String(repeating: "p", count: 20_000)),
                    number: 2 * number + 1)
                publications.append(publication)
            }
            let outcomes = await stranger.publish(publications, deadline: .now + .seconds(30))
            #expect(outcomes.allSatisfy { $0 == .confirmed })

            try await load.expectApplied(in: installation)
            // The management's counts are some seconds old, and may show what waited then.
            let report = try await installation.tool(["reconcile", "--wait", "30"]).output
            #expect(report.contains("not_from_owner") && report.contains("all is accounted for"), "\(report)")
            await installation.tearDown()
        }

        /// A submission as a load tester writes it: kind, body and routing key, nothing else.
        static func submission(of purchase: PurchaseLoad.Purchase) throws -> Publication {
            let digest = ArtifactDigest(rawValue: Digest.sha256(purchase.jws.utf8).hexadecimal)
            let message = ArtifactSubmit(
                organisation: OrganisationID(rawValue: Installation.organisation),
                app: AppID(rawValue: Installation.app), artifact: Artifact(kind: .transaction, text: purchase.jws),
                digest: digest,
                claim: TransactionClaim(
                    user: AppUserID(rawValue: purchase.user),
                    originalTransactionID: OriginalTransactionID(rawValue: purchase.original), trust: .unverified))
            var envelope = Envelope(properties: MessageProperties(), body: try MessageJSON.encode(message))
            envelope.properties.headers["kind"] = .text(ArtifactSubmit.kind.rawValue)
            return Publication(envelope, to: .command(.receiptValidator, message.bucket), isMandatory: true)
        }
    }
}
