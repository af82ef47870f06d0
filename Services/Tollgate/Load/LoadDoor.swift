internal import HTTPClient
internal import Messages
internal import Messaging

/// What became of a message at the door.
package enum LoadAcceptance: Sendable, Hashable {
    /// It is answered for: 200, or the broker's confirmation.
    case accepted
    /// Turned away for what it is, with the reason.
    case rejected(String)
    /// Nobody took it: 503, no connection.
    case failed(String)
    /// Nobody said in time what became of it.
    case unanswered(String)
    /// It was not sent: as many as may be were on their way.
    case unsent
}

/// Where messages go in.
protocol LoadDoor: Sendable {
    /// Sends one and waits for what the other side says.
    func send(_ way: LoadMessage.Way) async -> LoadAcceptance
}

/// The edge.
struct HTTPDoor: LoadDoor {
    let client: HTTPClient
    /// Without `/` at its end.
    let url: String
    let timeout: Duration

    func send(_ way: LoadMessage.Way) async -> LoadAcceptance {
        guard case .http(let path, let headers, let body) = way else { return .failed("no HTTP") }
        var request = HTTPRequest(method: "POST", url: url + path, headers: headers, body: body, timeout: timeout)
        request.headers["Content-Type"] = "application/json"
        do {
            let response = try await client.send(request)
            switch response.status {
            case 200: return response.text.contains(#""dropped""#) ? .rejected("dropped") : .accepted
            case 500...: return .failed(String(response.status))
            default: return .rejected(String(response.status))
            }
        } catch {
            return switch error.kind {
            case .timedOut, .interrupted: .unanswered("no answer")
            default: .failed(error.reason)
            }
        }
    }
}

/// The broker, with a login that may publish commands and nothing else.
struct QueueDoor: LoadDoor {
    let publisher: any Publisher
    let timeout: Duration

    func send(_ way: LoadMessage.Way) async -> LoadAcceptance {
        guard case .queue(let publication) = way else { return .failed("no message") }
        switch await publisher.publish(publication, deadline: .now + timeout) {
        case .confirmed: return .accepted
        case .returned: return .rejected("no queue")
        case .refused: return .failed("refused by the broker")
        case .notSent(.deadline): return .unanswered("not sent in time")
        case .notSent(let why): return .failed("not sent: \(why.rawValue)")
        case .unknown: return .unanswered("not confirmed")
        }
    }
}
