internal import Messages

/// Options of every command that configures paywalls and experiments.
enum PaywallOptions {
    static let expect = Option.number(
        "--expect", "VERSION", "Only if this is the version that counts now; 0: there is none yet", in: 0...Int.max)
    static let dryRun = Flag("--dry-run", "Only say what it would be")
    static let all: [any OptionDescription] = [expect, dryRun, OperatorOptions.by]

    /// Whose paywall, where something is to be said of it.
    ///
    /// - Throws: where the service would refuse it.
    static func entitlement(_ text: String, _ arguments: Arguments) throws -> EntitlementID {
        let entitlement = EntitlementID(rawValue: text)
        guard entitlement.isConfigurable else {
            throw arguments.wrong("ENTITLEMENT: expected \(EntitlementID.expectationOfConfigurable)")
        }
        return entitlement
    }

    /// Nil where it is done.
    static func isDryRun(_ arguments: Arguments) -> Bool? { arguments.isSet(dryRun) ? true : nil }

    /// `PRODUCT` for a subscription, `PRODUCT:iap` or `PRODUCT:subscription`.
    static func sku(_ text: String) -> PaywallSKU? {
        var (product, kind) = (text[...], PaywallSKU.Kind.subscription)
        if let colon = text.lastIndex(of: ":"),
            let named = PaywallSKU.Kind.all.first(where: { $0.rawValue == text[text.index(after: colon)...] })
        {
            (product, kind) = (text[..<colon], named)
        }
        let sku = PaywallSKU(product: ProductID(rawValue: String(product)), kind: kind)
        return sku.product.isConfigurable ? sku : nil
    }

    /// As ``sku(_:)`` reads it.
    static func text(_ skus: [PaywallSKU]) -> String {
        skus.map { $0.kind == .subscription ? $0.product.rawValue : "\($0.product):\($0.kind)" }
            .joined(separator: ", ").onOneLine
    }
}
