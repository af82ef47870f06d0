package import Messages

/// What is offered for one entitlement as things stand.
package struct PaywallPlan: Sendable, Hashable {
    /// The plain paywall; none: nothing is configured.
    package var skus: [PaywallSKU]
    /// The experiment on it.
    package var running: Experiment?
    /// Those that may run some day, the newest first.
    package var drafts: [Experiment]

    package init(skus: [PaywallSKU] = [], running: Experiment? = nil, drafts: [Experiment] = []) {
        self.skus = skus
        self.running = running
        self.drafts = drafts
    }

    static let ttlSeconds = 3_600
    /// A draft may be started at any moment, and is to reach the phones soon then.
    static let ttlSecondsOfExperiment = 900

    /// How long phones may keep an answer.
    var ttlSeconds: Int { running == nil && drafts.isEmpty ? Self.ttlSeconds : Self.ttlSecondsOfExperiment }

    /// What an install gets, and whether it becomes a part of the experiment by that.
    package enum Decision: Sendable, Hashable {
        /// There is nothing to keep.
        case offer(PaywallOffer)
        /// It has this variant already.
        case again(PaywallOffer, Assignment)
        /// It has this variant from now on.
        case assign(PaywallOffer, VariantKey, epoch: Int)
    }

    /// - Parameters:
    ///   - stored: what the install was assigned in the running experiment, in this environment.
    ///   - environment: as kept; see ``Messages/StoreEnvironment/kept``.
    package func decide(
        _ request: PaywallResolve, environment: StoreEnvironment, stored: Assignment?,
        sha256: ([UInt8]) -> [UInt8]
    ) -> Decision {
        if environment != .production, let forced = forced(request) { return .offer(forced) }
        guard let running else { return .offer(plain(request)) }
        if let stored, let offer = offer(request, stored.variant, of: running) { return .again(offer, stored) }
        guard let epoch = running.epochs.last,
            let variant = Draw(request.install, in: running.id).variant(by: epoch, sha256: sha256),
            let offer = offer(request, variant, of: running)
        else { return .offer(plain(request)) }
        return .assign(offer, variant, epoch: epoch.number)
    }

    /// Takes no part: neither experiment nor variant is named, so that no impression of it is counted.
    private func plain(_ request: PaywallResolve) -> PaywallOffer {
        PaywallOffer(entitlement: request.entitlement, skus: skus, ttlSeconds: ttlSeconds)
    }

    private func offer(
        _ request: PaywallResolve, _ variant: VariantKey, of experiment: Experiment
    ) -> PaywallOffer? {
        experiment.skus(of: variant).map {
            PaywallOffer(
                entitlement: request.entitlement, skus: $0, experiment: experiment.id, variant: variant,
                ttlSeconds: ttlSeconds)
        }
    }

    /// The variant that the caller wants to see, dropped ones and those of drafts too; nil: there is none of this name.
    private func forced(_ request: PaywallResolve) -> PaywallOffer? {
        guard let variant = request.forceVariant else { return nil }
        for experiment in [running].compactMap({ $0 }) + drafts {
            guard var offer = offer(request, variant, of: experiment) else { continue }
            offer.isForced = true
            // Not named, so that no impression of what was only looked at is sent, by whatever SDK.
            offer.experiment = nil
            return offer
        }
        return nil
    }
}

extension StoreEnvironment {
    /// As what it is kept: whatever callers may think of is one environment more, not many.
    var kept: StoreEnvironment { [.production, .sandbox, .xcode].contains(self) ? self : .unknown }
}
