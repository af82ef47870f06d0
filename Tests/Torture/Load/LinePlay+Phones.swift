import Crypto
import Foundation
import HTTPClient
import JSON
import Messages
import StoreSimulator
import TestSupport

/// What the install of a line sees and shows, and the device of one.
extension LinePlay {
    mutating func fetchPaywall() async throws {
        let body = """
            {"bundleId":"\(Installation.app)","installId":"\(install)","appUserId":"\(user(.anna))",\
            "entitlement":"\(Installation.entitlement)"}
            """
        // Whatever goes wrong inside is an empty paywall with 200.
        try await stage.insist("a paywall for \(install)") {
            let answer = try? await stage.installation.post("paywall", body, timeout: .seconds(8))
            return answer?.text.contains("variantKey") == true
                ? nil : answer.map { "\($0.status) \($0.text)" } ?? "none"
        }
    }

    mutating func seePaywall(through door: Step.Door) async throws {
        switch door {
        case .phone, .notification:
            let body: JSONValue = .object([
                "bundleId": .string(Installation.app), "installId": .string(install),
                "experimentId": .string(Stage.experiment.rawValue), "storefront": "DEU",
                "renderedSkus": .array([.string(Installation.product.id)]),
            ])
            try await post(sdk("paywall/impression"), body, as: "impression")
        case .queue:
            let record = ImpressionRecord(
                organisation: Stage.organisation, app: Stage.app, install: InstallID(rawValue: install),
                experiment: Stage.experiment, renderedSkus: [ProductID(rawValue: Installation.product.id)],
                storefront: "DEU", trust: .unverified)
            try await push([publication(record, as: "impression")])
        }
    }

    mutating func enrol() async throws {
        let installation = stage.installation
        let phone = try installation.newPhone()
        self.phone = phone
        var token: String?
        try await stage.insist("a device token") {
            let challenge = try? await installation.challenge(at: installation.edgePort)
            guard let challenge else { return "no challenge" }
            let body = try installation.attestation(of: phone, for: challenge)
            let answer = try? await installation.send(body, to: "attest", at: installation.edgePort)
            token = try? answer?.text(of: "deviceToken")
            return token == nil ? answer.map { "\($0.status) \($0.text)" } ?? "no answer" : nil
        }
        self.token = token
        try await identify(.anna, through: .phone, token: token)
    }

    mutating func renewToken() async throws {
        guard var phone else { throw TestFailure("no device") }
        let installation = stage.installation
        var token: String?
        try await stage.insist("a fresh device token") {
            guard let challenge = try? await installation.challenge(at: installation.edgePort) else {
                return "no challenge"
            }
            let body = try installation.assertion(of: &phone, for: challenge)
            let answer = try? await installation.send(body, to: "attest/assert", at: installation.edgePort)
            token = try? answer?.text(of: "deviceToken")
            return token == nil ? answer.map { "\($0.status) \($0.text)" } ?? "no answer" : nil
        }
        self.phone = phone
        self.token = token
        try await identify(.anna, through: .phone, token: token)
    }

    mutating func revoke() async throws {
        guard let phone, let token else { return }
        try await stage.command(
            DeviceRevoke(
                organisation: Stage.organisation, app: Stage.app,
                keyID: DeviceKeyID(rawValue: Base64.standard.encode(phone.keyID)), why: "torture"))
        let body = #"{"appUserId":"\#(user(.anna))","bundleId":"\#(Installation.app)"}"#
        let installation = stage.installation
        try await stage.insist("a revoked token refused") {
            let answer = try? await installation.send(body, to: "identify", at: installation.edgePort, token: token)
            return answer?.status == 401 ? nil : "\(answer?.status ?? 0)"
        }
    }

    mutating func conductExperiment() async throws {
        let experiment = ExperimentID(rawValue: "side-\(line.number)")
        let entitlement = EntitlementID(rawValue: "side-\(line.number)")
        let (organisation, app) = (Stage.organisation, Stage.app)
        let offer = PaywallSKU(product: ProductID(rawValue: Installation.product.id), kind: .subscription)
        let variants = ["control", "b"].map { VariantKey(rawValue: $0) }
        try await stage.command(
            PaywallPut(organisation: organisation, app: app, entitlement: entitlement, skus: [offer]))
        try await stage.command(
            PlacementPut(
                organisation: organisation, app: app, placement: PlacementID(rawValue: "place_\(line.number)"),
                entitlement: entitlement))
        try await stage.command(
            ExperimentCreate(
                organisation: organisation, app: app, experiment: experiment, entitlement: entitlement,
                name: "Side \(line.number)", coverage: 5_000,
                arms: variants.map { Experiment.Arm(variant: $0, weight: 1) },
                variants: variants.map { Experiment.Variant(key: $0, skus: [offer]) }), done: ["experiment_exists"])
        try await stage.command(ExperimentStart(organisation: organisation, app: app, experiment: experiment))
        try await stage.command(
            ExperimentChange(organisation: organisation, app: app, experiment: experiment, coverage: 7_000))
        try await stage.command(ExperimentStop(organisation: organisation, app: app, experiment: experiment))
    }
}
