package import Messages

/// The events of a message, each judged by all that can be judged without a store.
package struct JudgedEvents: Sendable {
    /// An event that is good as such.
    package struct Good: Sendable, Hashable {
        package var identity: EventIdentity
        package var name: EventName
        package var id: String?
        package var at: Timestamp
        package var sentAt: String?
        /// JSON, with its members in order.
        package var properties: [UInt8]?
        /// Its place in the message.
        package var place: Int
        /// What it says of the onboarding, if it is about that.
        package var step: OnboardingStep?
    }

    package var app: App
    package var customer: Customer
    package var trust: Trust
    /// When they were accepted.
    package var acceptedAt: Timestamp
    package var good: [Good] = []
    package var faulty: [EventsRecord.Value.Rejected] = []

    /// Whether more than the caller's word stands for them.
    package var isAttested: Bool { trust.isAttested }

    /// How many came.
    package var count: Int { good.count + faulty.count }

    /// - Parameters:
    ///   - isFromEdge: edges have measured the properties as they were sent, and know what a caller is worth.
    package init(_ message: EventsRecord, id: MessageID, acceptedAt: Timestamp, isFromEdge: Bool) {
        app = App(message.organisation, message.app)
        customer = Customer(message.organisation, message.user)
        trust = isFromEdge ? message.trust : .unverified
        self.acceptedAt = acceptedAt
        for (place, event) in message.events.enumerated() {
            if let fault = EventRules.fault(of: event) {
                faulty.append(.init(index: place, code: fault))
                continue
            }
            // A number that JSON has no text for does not come out of JSON.
            let properties = event.properties.flatMap { $0.isEmpty ? nil : try? MessageJSON.encode($0) }
            guard isFromEdge || properties?.count ?? 0 <= EventRules.mostPropertyBytes else {
                faulty.append(.init(index: place, code: .propertiesTooLong))
                continue
            }
            good.append(
                Good(
                    identity: EventIdentity(of: event, properties: properties, message: id, place: place),
                    name: event.name, id: event.id, at: EventRules.clamped(event.at, acceptedAt: acceptedAt),
                    sentAt: event.sentAt, properties: properties, place: place,
                    step: event.name == .onboardingStep
                        ? OnboardingStep.read(event.properties ?? [:]).step : nil))
        }
    }
}
