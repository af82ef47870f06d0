internal import Crypto
package import HTTP
internal import JSON
internal import Messages
package import ServiceKit

/// `POST /api/sdk/v1/events`: what users have done. Answers `{"ok":true,"stored":…}` once the broker has every part of the
/// batch, one for each user of each app; what is wrong with an event drops that one alone, and is told.
package struct RecordEvents: RouteHandler {
    private let writes: SDKWrites
    private let names: EventNames
    private let measures: EventMeasures

    /// - Parameter names: knows which names an app may use.
    package init(_ writes: SDKWrites, names: EventNames, metrics: MetricsRegistry) {
        self.writes = writes
        self.names = names
        measures = EventMeasures(in: metrics)
    }

    package func handle(_ request: HTTP.Request) async throws -> Response {
        let acceptedAt = writes.now()
        let caller = try writes.caller(of: request, at: acceptedAt)
        let body = try EventsBody(request.body)
        if let app = body.app { try writes.callers.check(app, of: caller) }
        var batch = EventBatch(body)
        let first = batch.sent.first
        let write = SDKWrites.Write(
            request: request, route: "events", acceptedAt: acceptedAt, caller: caller,
            app: body.app ?? first?.app ?? AppID(rawValue: ""), user: first?.user, install: body.install)
        let key = try writes.admit(write)
        if let device = caller.device { batch.drop { $0.app == device.app ? nil : .bundleWrong } }
        guard !batch.sent.isEmpty else { return try answer(to: batch) }
        let apps = try await writes.callers.apps(batch.apps, of: caller)
        guard !apps.isEmpty else { return writes.drop() }
        batch.drop { apps[$0.app] == nil ? .bundleUnresolved : nil }
        for command in batch.commands(for: apps, trust: caller.trust) {
            guard let app = apps[command.app] else { continue }
            try writes.admit(command.user, of: app, from: caller)
        }
        guard let app = batch.sent.first.flatMap({ apps[$0.app] }) else { return try answer(to: batch) }
        // Otherwise events that nothing else tells apart would be others when a caller of another trust sends them again.
        if let request = key?.requestID(app: app, route: write.route) { batch.name(by: request) }
        return try await writes.once(key, write, for: app) { id in
            let whole = batch
            await dropNames(from: &batch, of: apps, by: caller.trust)
            // Names may have been judged since another edge sent the same: under a key the messages have to be the same
            // too, and event-ingest drops what is dropped here.
            let sent = key == nil ? batch : whole
            let commands = sent.commands(for: apps, trust: caller.trust).map { ($0, id.part($0.app, $0.user)) }
            try await writes.commands.publish(commands, acceptedAt: acceptedAt)
            return try text(of: batch)
        }
    }

    private func dropNames(from batch: inout EventBatch, of apps: [AppID: AppRecord], by trust: Trust) async {
        for (id, app) in apps {
            var used: [EventName] = []
            for event in batch.sent where event.app == id && !used.contains(event.event.name) {
                used.append(event.event.name)
            }
            let rejected = await names.rejected(among: used, of: app, by: trust)
            guard !rejected.isEmpty else { continue }
            let fault = names.fault(of: app, for: trust)
            batch.drop { $0.app == id && rejected.contains($0.event.name) ? fault : nil }
        }
    }

    private func answer(to batch: EventBatch) throws -> Response { .json(bytes: try text(of: batch)) }

    private func text(of batch: EventBatch) throws -> [UInt8] {
        let answer = batch.answer
        measures.count(answer)
        guard answer.rejected == nil else { return try JSONCoding.encode(answer) }
        return Array("{\"ok\":true,\"stored\":\(answer.stored)}".utf8)
    }
}

/// What became of events, at `/metrics`.
private struct EventMeasures: Sendable {
    private let accepted: Counter
    private let rejected: [EventFault: Counter]

    init(in metrics: MetricsRegistry) {
        func counter(_ outcome: String) -> Counter {
            metrics.counter("tollgate_edge_events_total", "Events by what became of them", ["outcome": outcome])
        }
        accepted = counter("accepted")
        rejected = Dictionary(uniqueKeysWithValues: EventFault.atEdge.map { ($0, counter($0.rawValue)) })
    }

    func count(_ answer: EventsAnswer) {
        accepted.add(answer.stored)
        for event in answer.rejected ?? [] { rejected[event.code]?.add() }
    }
}
