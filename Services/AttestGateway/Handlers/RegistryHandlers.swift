package import Lane
package import Messages
package import ServiceKit

extension HandlerTable {
    /// Everything that the registry does with messages.
    ///
    /// - Parameter now: the clock by which queries look back.
    package static func registry(
        now: @escaping @Sendable () -> Timestamp = { .now }, metrics: MetricsRegistry
    ) -> HandlerTable {
        var table = HandlerTable()
        table.add(PutApp())
        table.add(AddKey())
        table.add(RevokeKey())
        table.add(ShowRegistry(now: now))
        table.add(SubmitAttestation(measures: DeviceMeasures(in: metrics)))
        table.add(SubmitAssertion())
        table.add(RevokeDevice())
        table.add(PageDevices())
        table.add(ForgetChallenges())
        return table
    }
}
