internal import Messages

extension MessageExample {
    /// What every partition of every service takes beside its own kinds. For the operator's tool, but for the checkpoint.
    static let partitions = [
        MessageExample(
            PublisherCheckpoint.kind,
            PublisherCheckpoint(
                publisher: PublisherID(of: .attestGateway, instance: "1"), routingKey: "entitlement-resolver.0",
                through: 40, unconfirmed: NumberSet([17...17]), isFinal: false),
            "How far a service's numbers on one routing key have been confirmed by the broker."),
        MessageExample(
            PartitionReportGet.kind, PartitionReportGet(partition: 0),
            "Asks a partition what it has taken and what became of it."),
        MessageExample(
            partition: DeadPageGet(partition: 0, filter: LetterFilter(), limit: 100), "Asks for a page of dead letters."
        ),
        MessageExample(
            partition: DeadGroupsGet(partition: 0, filter: LetterFilter()),
            "Asks how many dead letters there are of each sort."),
        MessageExample(
            partition: AuditPageGet(partition: 0, limit: 100), "Asks what operators have changed, the newest first."),
        MessageExample(
            partition: DeadFreeze(partition: 0, run: run, filter: LetterFilter(), by: "jane", mostReplays: 3),
            "Freezes a selection of dead letters. Changes no letter."),
        MessageExample(
            partition: DeadForetell(partition: 0, run: run, count: 100),
            "Tries frozen letters without keeping anything of it."),
        MessageExample(
            partition: DeadReplay(partition: 0, run: run, count: 100, by: "jane", mostReplays: 3),
            "Puts letters of a selection back onto the partition's queue."),
        MessageExample(
            partition: DeadOutcomesGet(partition: 0, run: run), "Asks what has become of the letters of a selection."),
        MessageExample(
            partition: DeadArchive(
                partition: 0, run: run, isRestoring: false, count: 100, by: "jane", why: "of a test"),
            "Moves letters of a selection into the archive, or back from it."),
        MessageExample(
            partition: DeadForget(partition: 0, run: run, count: 100, by: "jane", why: "request 17"),
            "Forgets what letters of a selection say, for good."),
        MessageExample(
            partition: DeadEdit(
                partition: 0, number: 1, run: run, before: Octets(Array("{".utf8)), body: Octets(Array("{}".utf8)),
                by: "jane"),
            "Puts another body into a dead letter; the first one is kept beside it."),
        MessageExample(
            partition: DeadImport(partition: 0, run: run, letters: [], by: "jane"),
            "Puts letters of an export into the dead letters; no message is sent."),
    ]

    private static let run = MessageID(rawValue: "0197b5a0-7c00-7abc-8def-0123456789ab")
}
