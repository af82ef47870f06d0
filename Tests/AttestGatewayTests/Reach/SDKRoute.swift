import AttestGateway
import Messages
import Messaging
import TestSupport
import Testing

/// What the tests of reach have to know of a route of the SDK. Another route is another line of ``all``.
struct SDKRoute: Sendable, CustomTestStringConvertible {
    /// A text in the body, and how long it may be.
    struct Field: Sendable {
        let name: String
        let bytes: Int
        /// An identifier, or a text that may be absent or empty.
        let isIdentifier: Bool
        let isRequired: Bool

        static func id(_ name: String) -> Field { Field(name: name, bytes: 256, isIdentifier: true, isRequired: true) }
        static func optionalID(_ name: String) -> Field {
            Field(name: name, bytes: 256, isIdentifier: true, isRequired: false)
        }
        static func text(_ name: String, _ bytes: Int = 256) -> Field {
            Field(name: name, bytes: bytes, isIdentifier: false, isRequired: false)
        }
        static func object(_ name: String, _ bytes: Int) -> Field {
            Field(name: name, bytes: bytes, isIdentifier: true, isRequired: true)
        }
    }

    /// Under `/api/sdk/v1/`.
    let path: String
    /// A body that it takes, as JSON of each member.
    let good: [String: String]
    /// What changes the body into another one that it takes, about the same thing.
    let change: [String: String]
    let fields: [Field]
    /// An array in the body.
    var array: String?
    var kind = Kind.write

    /// What is done with its bodies.
    enum Kind {
        /// A message is published.
        case write
        /// The registry verifies.
        case enrolment
        /// The experiments are asked, and what goes wrong inside is no error.
        case question
        /// Nothing is stored, and nobody asked.
        case challenge
    }

    var testDescription: String { path }

    static let all = [
        SDKRoute(
            path: "identify", good: ["appUserId": #""user_42""#, "bundleId": #""com.example.tunes""#],
            change: ["attributes": #"{"plan":"pro"}"#],
            fields: [
                .id("appUserId"), .id("bundleId"), .optionalID("installId"), .text("osVersion"), .text("deviceModel"),
                .text("locale"),
            ]),
        SDKRoute(
            path: "attribute",
            good: [
                "appUserId": #""user_42""#, "bundleId": #""com.example.tunes""#,
                "originalTransactionId": #""2000000123456789""#,
            ], change: ["appUserId": #""user_43""#],
            fields: [
                .id("appUserId"), .id("bundleId"), .optionalID("installId"), .id("originalTransactionId"),
                .text("productId"),
            ]),
        SDKRoute(
            path: "attest/challenge", good: [:], change: ["bundleId": #""com.example.tunes""#], fields: [],
            kind: .challenge),
        SDKRoute(
            path: "attest", good: EdgeRig.proof("attest"), change: ["attestation": #""o2Nn""#],
            fields: [
                .id("keyId"), .id("challenge"), .id("bundleId"),
                .object("attestation", AttestationSubmit.longestAttestation),
            ], kind: .enrolment),
        SDKRoute(
            path: "attest/assert", good: EdgeRig.proof("attest/assert"), change: ["assertion": #""o2Nn""#],
            fields: [
                .id("keyId"), .id("challenge"), .id("bundleId"),
                .object("assertion", AssertionSubmit.longestAssertion),
            ], kind: .enrolment),
        SDKRoute(
            path: "paywall",
            good: [
                "appUserId": #""user_42""#, "bundleId": #""com.example.tunes""#, "installId": #""i-1""#,
                "entitlement": #""pro""#,
            ], change: ["appUserId": #""user_43""#],
            fields: [
                .id("appUserId"), .id("bundleId"), .id("installId"), .id("entitlement"), .text("environment"),
                .text("forceVariant"),
            ], kind: .question),
        SDKRoute(
            path: "paywall/impression",
            good: [
                "bundleId": #""com.example.tunes""#, "installId": #""i-1""#, "experimentId": #""e-1""#,
                "renderedSkus": #"["com.example.tunes.pro.annual"]"#,
            ], change: ["renderedSkus": "[]"],
            fields: [
                .id("bundleId"), .id("installId"), .id("experimentId"), .text("storefront", 32), .text("environment"),
            ], array: "renderedSkus"),
        SDKRoute(
            path: "events",
            good: [
                "bundleId": #""com.example.tunes""#,
                "events": #"[{"name":"opened","appUserId":"user_42","at":1769760900000}]"#,
            ], change: ["events": #"[{"name":"closed","appUserId":"user_42","properties":{"a":1}}]"#],
            fields: [.id("bundleId"), .optionalID("installId")], array: "events"),
    ]

    /// Each of its fields.
    static let allFields = all.flatMap { route in route.fields.map { (route, $0) } }

    /// The same members in any number of requests give the same bytes.
    func bytes(_ changes: [String: String?] = [:]) -> [UInt8] {
        let members = good.mapValues(String?.some).merging(changes) { $1 }.compactMapValues { $0 }
        let text = members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",")
        return Array("{\(text)}".utf8)
    }
}

extension SDKRoute.Field: CustomTestStringConvertible {
    var testDescription: String { name }
}
