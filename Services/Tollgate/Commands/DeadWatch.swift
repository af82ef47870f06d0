internal import Messages
internal import ServiceKit

/// `tollgate dead watch`
struct DeadWatch: ToolCommand {
    static let interval = Option<Duration>(
        "--interval", "DURATION", "Between two looks", expectation: "a duration such as 2s", default: "2s"
    ) { Duration(settingText: $0) }
    static let count = Option<Int>(
        "--count", "N", "End after so many looks", expectation: "a whole number from 1 on"
    ) { Int($0).flatMap { $0 > 0 ? $0 : nil } }

    static let layout = CommandLayout(
        "dead watch", "Shows how dead letters come and go, until q or Ctrl-C is pressed",
        details: """
            For each service: how many wait, how old the oldest is, how many died and how many messages ended a second, \
            how many were replayed and have not ended, wait in the retry ladder, are in the archive. Then the largest \
            groups. Where output is no terminal, one look follows the other; with --json each is a line.
            """,
        options: [DeadSelection.service, interval, count] + Conversation.options, example: "tollgate dead watch")

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let selection = try DeadSelection.services(arguments.all(DeadSelection.service))
        let interval = try arguments.value(of: interval)
        let count = try arguments.optional(count) ?? .max
        let isJSON = arguments.isSet(CommandLayout.json)
        try await Conversation.open(arguments, in: surroundings) { conversation, _ in
            let office = DeadLetterOffice(conversation: conversation)
            let keyboard = isJSON ? nil : Keyboard()
            var before: DeadView?
            var looks = 0
            while !Task.isCancelled {
                let started = ContinuousClock.now
                let view = try await look(selection, office)
                looks += 1
                if isJSON {
                    try surroundings.write(String(decoding: MessageJSON.encode(view), as: UTF8.self) + "\n")
                } else {
                    let text = view.text(since: before)
                    let head = "dead letters, \(view.at.rfc3339)"
                    // Home, and each line to its end: nothing flickers, nothing is left over.
                    let isLive = keyboard != nil
                    try surroundings.write(
                        isLive
                            ? "\u{1B}[H"
                                + (head + ", q ends\n\n" + text).split(
                                    separator: "\n", omittingEmptySubsequences: false
                                ).map { "\($0)\u{1B}[K\n" }.joined() + "\u{1B}[J" : "\(head)\n\(text)\n\n")
                }
                before = view
                guard looks < count else { break }
                if let keyboard {
                    let rest = interval - (.now - started)
                    // Short looks at the keyboard: the connection lives on the same threads.
                    let end = ContinuousClock.now + max(.zero, rest)
                    var isOver = false
                    repeat {
                        isOver = keyboard.isEndPressed(within: 0)
                        // Waiting for a key would hold the thread.
                        if !isOver { try await Task.sleep(for: .milliseconds(50)) }
                    } while !isOver && ContinuousClock.now < end
                    if isOver { break }
                } else {
                    // The operator has said how often.
                    try await Task.sleep(until: started + interval, clock: .continuous)
                }
            }
        }
        return Output(jsonText: "")
    }

    private static func look(_ selection: DeadSelection, _ office: DeadLetterOffice) async throws -> DeadView {
        var rows: [DeadView.Row] = []
        var groups: [[String]: DeadGroupsGet.Group] = [:]
        for service in selection.services {
            var row = DeadView.Row(service)
            var partition = 0
            var partitions = 1
            while partition < partitions, !row.isSilent {
                let place = Place(service: service, partition: partition)
                do {
                    let answer = try await office.ask(
                        DeadGroupsGet(partition: partition, filter: LetterFilter()), at: place)
                    row.add(answer)
                    partitions = min(Bucket.count, answer.partitions)
                    for group in answer.groups {
                        let name = [group.kind, group.reason, group.step]
                        guard let known = groups[name] else {
                            groups[name] = group
                            continue
                        }
                        groups[name]?.count += group.count
                        groups[name]?.lastSeen = max(known.lastSeen, group.lastSeen)
                    }
                } catch let failure as ToolFailure where failure.status == .unavailable {
                    row.isSilent = true
                }
                partition += 1
            }
            rows.append(row)
        }
        let sorted = groups.sorted { ($1.value.count, $0.key.joined()) < ($0.value.count, $1.key.joined()) }
        return DeadView(at: .now, rows: rows, groups: sorted.prefix(10).map(\.value))
    }
}
