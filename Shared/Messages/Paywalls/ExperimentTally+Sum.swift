extension ExperimentTally {
    /// Over both: every install is in one partition, and so is every user.
    public static func + (left: ExperimentTally, right: ExperimentTally) -> ExperimentTally {
        ExperimentTally(
            counts: merged(left.counts + right.counts, by: \.stratum) { $0.add($1) }
                .sorted { $0.stratum < $1.stratum },
            revenue: merged(left.revenue + right.revenue, by: \.place) { $0.add($1) }
                .sorted { $0.place < $1.place },
            renderings: merged(left.renderings + right.renderings, by: \.place) {
                $0.impressions = $0.impressions.clampedSum($1.impressions)
            }.sorted { $0.place < $1.place },
            audience: merged(left.audience + right.audience, by: \.place) { $0.add($1) }
                .sorted { $0.place < $1.place })
    }

    /// One of each place, in the order in which the places come first.
    private static func merged<Part, Place: Hashable>(
        _ parts: [Part], by place: (Part) -> Place, _ add: (inout Part, Part) -> Void
    ) -> [Part] {
        var sums: [Part] = []
        var index: [Place: Int] = [:]
        for part in parts {
            if let known = index[place(part)] {
                add(&sums[known], part)
            } else {
                index[place(part)] = sums.count
                sums.append(part)
            }
        }
        return sums
    }
}

extension ExperimentTally.Count {
    /// Adds those of another partition.
    public mutating func add(_ other: Self) {
        assigned = assigned.clampedSum(other.assigned)
        exposed = exposed.clampedSum(other.exposed)
        converted = converted.clampedSum(other.converted)
        matured = matured.clampedSum(other.matured)
        maturedConverted = maturedConverted.clampedSum(other.maturedConverted)
        refunds = refunds.clampedSum(other.refunds)
        unpriced = unpriced.clampedSum(other.unpriced)
        unverified = unverified.clampedSum(other.unverified)
    }
}

extension ExperimentTally.Revenue {
    fileprivate struct Place: Hashable, Comparable {
        var stratum: ExperimentTally.Stratum
        var currency: String

        static func < (left: Self, right: Self) -> Bool {
            (left.stratum, left.currency) < (right.stratum, right.currency)
        }
    }

    fileprivate var place: Place { Place(stratum: stratum, currency: currency) }

    /// Adds that of another partition.
    public mutating func add(_ other: Self) {
        paid = paid.clampedSum(other.paid)
        refunded = refunded.clampedSum(other.refunded)
        matured = matured.clampedSum(other.matured)
        maturedSquares += other.maturedSquares
        maturedPayers = maturedPayers.clampedSum(other.maturedPayers)
    }
}

extension ExperimentTally.Rendering {
    fileprivate struct Place: Hashable, Comparable {
        var stratum: ExperimentTally.Stratum
        var storefront: String?
        var skus: [ProductID]

        static func < (left: Self, right: Self) -> Bool {
            guard left.stratum == right.stratum else { return left.stratum < right.stratum }
            // What was not told comes first.
            guard left.storefront == right.storefront else {
                return left.storefront.map { here in right.storefront.map { here < $0 } ?? false } ?? true
            }
            return left.skus.lexicographicallyPrecedes(right.skus)
        }
    }

    fileprivate var place: Place { Place(stratum: stratum, storefront: storefront, skus: skus) }
}

extension ExperimentTally.Audience {
    fileprivate struct Place: Hashable, Comparable {
        var environment: StoreEnvironment
        var trust: Trust

        static func < (left: Place, right: Place) -> Bool {
            (left.environment, left.trust) < (right.environment, right.trust)
        }
    }

    fileprivate var place: Place { Place(environment: environment, trust: trust) }

    fileprivate mutating func add(_ other: Self) {
        users = users.clampedSum(other.users)
        ofSeveralVariants = ofSeveralVariants.clampedSum(other.ofSeveralVariants)
    }
}

extension FixedWidthInteger {
    /// The sum, or the greatest number there is: what other processes send never stops this one.
    fileprivate func clampedSum(_ other: Self) -> Self {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }
}
