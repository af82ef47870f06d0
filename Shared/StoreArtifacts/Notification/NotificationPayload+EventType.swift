extension NotificationPayload {
    /// What has happened (`notificationType`). A word that we have not heard of stays what it is.
    public struct EventType: RawRepresentable, Hashable, Sendable, Codable {
        /// Apple's word.
        public let rawValue: String
        /// Any word, known here or not.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Subscribed for the first time (`INITIAL_BUY`), or again (`RESUBSCRIBE`).
        public static let subscribed = EventType(rawValue: "SUBSCRIBED")
        /// Renewed, without or after a failure (`BILLING_RECOVERY`).
        public static let didRenew = EventType(rawValue: "DID_RENEW")
        /// The next period is of another product (`DOWNGRADE`), or the current one is already (`UPGRADE`).
        public static let didChangeRenewalPreference = EventType(rawValue: "DID_CHANGE_RENEWAL_PREF")
        /// Renewal was switched on or off (`AUTO_RENEW_ENABLED`, `AUTO_RENEW_DISABLED`).
        public static let didChangeRenewalStatus = EventType(rawValue: "DID_CHANGE_RENEWAL_STATUS")
        /// Could not be charged; with or without a time of grace (`GRACE_PERIOD`).
        public static let didFailToRenew = EventType(rawValue: "DID_FAIL_TO_RENEW")
        /// The time of grace is over, and Apple still tries to charge.
        public static let gracePeriodExpired = EventType(rawValue: "GRACE_PERIOD_EXPIRED")
        /// Over (`VOLUNTARY`, `BILLING_RETRY`, `PRICE_INCREASE`, `PRODUCT_NOT_FOR_SALE`).
        public static let expired = EventType(rawValue: "EXPIRED")
        /// An offer was taken, at once or for the next period (`UPGRADE`, `DOWNGRADE`).
        public static let offerRedeemed = EventType(rawValue: "OFFER_REDEEMED")
        /// The price rises; the customer was asked or has agreed (`PENDING`, `ACCEPTED`).
        public static let priceIncrease = EventType(rawValue: "PRICE_INCREASE")
        /// Bought once: a consumable, a non-consumable, a subscription that does not renew.
        public static let oneTimeCharge = EventType(rawValue: "ONE_TIME_CHARGE")
        /// The money went back.
        public static let refund = EventType(rawValue: "REFUND")
        /// It did not, though the customer asked.
        public static let refundDeclined = EventType(rawValue: "REFUND_DECLINED")
        /// It did, and Apple has taken that back.
        public static let refundReversed = EventType(rawValue: "REFUND_REVERSED")
        /// The customer asks for his money; Apple asks what he has used.
        public static let consumptionRequest = EventType(rawValue: "CONSUMPTION_REQUEST")
        /// No longer shared with the family.
        public static let revoke = EventType(rawValue: "REVOKE")
        /// One subscription's renewal date was extended.
        public static let renewalExtended = EventType(rawValue: "RENEWAL_EXTENDED")
        /// Those of all subscribers were: for each that failed (`FAILURE`), and at the end (`SUMMARY`).
        public static let renewalExtension = EventType(rawValue: "RENEWAL_EXTENSION")
        /// A token for purchases elsewhere (`CREATED`, `ACTIVE_TOKEN_REMINDER`, `UNREPORTED`).
        public static let externalPurchaseToken = EventType(rawValue: "EXTERNAL_PURCHASE_TOKEN")
        /// A parent has withdrawn the consent that a child may use the app.
        public static let rescindConsent = EventType(rawValue: "RESCIND_CONSENT")
        /// Advanced Commerce: what a subscription is called was changed.
        public static let metadataUpdate = EventType(rawValue: "METADATA_UPDATE")
        /// Advanced Commerce: a subscription was moved there.
        public static let migration = EventType(rawValue: "MIGRATION")
        /// Advanced Commerce: a subscription's price was changed.
        public static let priceChange = EventType(rawValue: "PRICE_CHANGE")
        /// Asked for by the developer.
        public static let test = EventType(rawValue: "TEST")
    }

    /// What has happened in particular (`subtype`).
    public struct Subtype: RawRepresentable, Hashable, Sendable, Codable {
        /// Apple's word.
        public let rawValue: String
        /// Any word, known here or not.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Subscribed for the first time.
        public static let initialBuy = Subtype(rawValue: "INITIAL_BUY")
        /// Subscribed again.
        public static let resubscribe = Subtype(rawValue: "RESUBSCRIBE")
        /// To a lesser product, from the next period on.
        public static let downgrade = Subtype(rawValue: "DOWNGRADE")
        /// To a better product, at once.
        public static let upgrade = Subtype(rawValue: "UPGRADE")
        /// Will renew.
        public static let autoRenewEnabled = Subtype(rawValue: "AUTO_RENEW_ENABLED")
        /// Will not renew.
        public static let autoRenewDisabled = Subtype(rawValue: "AUTO_RENEW_DISABLED")
        /// The customer had switched it off.
        public static let voluntary = Subtype(rawValue: "VOLUNTARY")
        /// Apple could not charge, and has given up.
        public static let billingRetry = Subtype(rawValue: "BILLING_RETRY")
        /// The customer did not agree to a higher price.
        public static let priceIncrease = Subtype(rawValue: "PRICE_INCREASE")
        /// The product is no longer there.
        public static let productNotForSale = Subtype(rawValue: "PRODUCT_NOT_FOR_SALE")
        /// The customer keeps what he has while Apple tries.
        public static let gracePeriod = Subtype(rawValue: "GRACE_PERIOD")
        /// Apple could charge after all.
        public static let billingRecovery = Subtype(rawValue: "BILLING_RECOVERY")
        /// The customer has not answered yet.
        public static let pending = Subtype(rawValue: "PENDING")
        /// The customer has agreed, or needs not.
        public static let accepted = Subtype(rawValue: "ACCEPTED")
        /// All are done.
        public static let summary = Subtype(rawValue: "SUMMARY")
        /// One could not be done.
        public static let failure = Subtype(rawValue: "FAILURE")
        /// The token was not reported.
        public static let unreported = Subtype(rawValue: "UNREPORTED")
        /// There is a new token.
        public static let created = Subtype(rawValue: "CREATED")
        /// There still is a token.
        public static let activeTokenReminder = Subtype(rawValue: "ACTIVE_TOKEN_REMINDER")
    }
}
