import Messages
import Testing

@Suite("Messages that name a partition")
struct NamingPartitionTests {
    @Test(
        "Each is in the bucket of its partition's number, also where it is known as a message only",
        arguments: [
            ArtifactsPage(partition: 5), HoldingsPage(partition: 5), LinksContested(partition: 5, since: .distantPast),
            LinksResend(partition: 5, by: "ops", run: MessageID(rawValue: "run")),
            UserTraces(
                partition: 5, organisation: OrganisationID(rawValue: "acme"), user: AppUserID(rawValue: "ann")),
        ] as [any NamingPartition])
    func bucket(message: any NamingPartition) {
        func bucket(of message: some Message) -> Bucket { message.bucket }

        #expect(bucket(of: message).number == 5)
        #expect(message.key == "5")
    }
}
