internal import Messages

/// Finds products of variants that were not there when their paywall was seen: a broken test, and no losing offer.
struct MissingSKUs {
    /// A storefront is judged from so many impressions on.
    static let fewestImpressions = 50
    /// A product that is there in less than so many of a hundred is missing.
    static let leastPercentage = 90

    let experiment: Experiment

    /// By variant, storefront and product.
    func find(in renderings: [ExperimentTally.Rendering]) -> [ExperimentResults.MissingSKU] {
        struct Place: Hashable {
            var variant: VariantKey
            var storefront: String?
        }
        let groups = Dictionary(grouping: renderings) {
            Place(variant: $0.stratum.variant, storefront: $0.storefront)
        }
        var missing: [ExperimentResults.MissingSKU] = []
        for (place, group) in groups {
            let impressions = group.reduce(0) { $0 + $1.impressions }
            guard impressions >= Self.fewestImpressions else { continue }
            for sku in experiment.skus(of: place.variant) ?? [] {
                let rendered = group.filter { $0.skus.contains(sku.product) }.reduce(0) { $0 + $1.impressions }
                guard Double(rendered) * 100 < Double(impressions) * Double(Self.leastPercentage) else { continue }
                missing.append(
                    .init(
                        variant: place.variant, storefront: place.storefront, sku: sku.product,
                        rendered: rendered, impressions: impressions))
            }
        }
        return missing.sorted {
            ($0.variant, $0.storefront ?? "", $0.sku) < ($1.variant, $1.storefront ?? "", $1.sku)
        }
    }
}
