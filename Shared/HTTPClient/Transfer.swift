internal import Synchronization

/// One request on its way, and what has come back so far.
final class Transfer: Sendable {
    typealias Outcome = Result<HTTPResponse, HTTPClientError>

    let request: HTTPRequest
    private let bodyLimit: Int
    // Touched on the loop's thread only, from the moment that the loop has taken the transfer.
    private nonisolated(unsafe) var response = HTTPResponse(status: 0)
    private nonisolated(unsafe) var bodyIsTooLarge = false
    private let cancellation: Cancellation
    private let continuation: CheckedContinuation<Outcome, Never>

    init(
        _ request: HTTPRequest, bodyLimit: Int, endedBy cancellation: Cancellation,
        resuming continuation: CheckedContinuation<Outcome, Never>
    ) {
        self.request = request
        self.bodyLimit = bodyLimit
        self.cancellation = cancellation
        self.continuation = continuation
    }

    /// Whether nobody waits for the answer any more.
    var isCancelled: Bool { cancellation.isRequested }

    // MARK: On the loop's thread

    /// A line of the headers, with its line end.
    func take(headerLine bytes: UnsafeRawBufferPointer) {
        // The status line of another response: what came before was "100 Continue" or a redirect.
        if bytes.starts(with: "HTTP/".utf8) { return response.headers = [] }
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return }
        let name = String(decoding: bytes[..<colon], as: UTF8.self)
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D || $0 == 0x0A }
        var value = bytes[colon...].dropFirst().drop(while: isBlank)
        while let last = value.last, isBlank(last) { value.removeLast() }
        response.headers.append((name, String(decoding: value, as: UTF8.self)))
    }

    /// A piece of the body. `false` when it is more than the client takes.
    func take(body bytes: UnsafeRawBufferPointer) -> Bool {
        bodyIsTooLarge = bytes.count > bodyLimit - response.body.count
        if !bodyIsTooLarge { response.body.append(contentsOf: bytes) }
        return !bodyIsTooLarge
    }

    /// Resumes who waits. Exactly once.
    func finish(status: Int) {
        response.status = status
        continuation.resume(returning: .success(response))
    }

    /// Resumes who waits. Exactly once.
    func fail(_ error: HTTPClientError) {
        let tooLarge = HTTPClientError(.bodyTooLarge, request, "The answer is longer than \(bodyLimit) bytes")
        continuation.resume(returning: .failure(bodyIsTooLarge ? tooLarge : error))
    }
}

/// Says from any thread that a transfer is not wanted any more, even before there is one.
final class Cancellation: Sendable {
    private let flag = Atomic(false)

    var isRequested: Bool { flag.load(ordering: .acquiring) }

    func request() { flag.store(true, ordering: .releasing) }
}
