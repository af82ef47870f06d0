/// Asks over HTTP/1.1: any number of requests at once, on one thread of libcurl, over connections that are kept.
///
/// TLS certificates and names are always verified. The proxies of the environment are not used.
public final class HTTPClient: Sendable {
    private let configuration: HTTPClientConfiguration
    private let loop: TransferLoop

    /// A client with connections of its own.
    public init(_ configuration: HTTPClientConfiguration = HTTPClientConfiguration()) {
        self.configuration = configuration
        loop = TransferLoop(configuration)
        loop.start()
    }

    deinit { loop.stop() }

    /// Sends the request and waits for the whole answer, at most for the request's timeout.
    public func send(_ request: HTTPRequest) async throws(HTTPClientError) -> HTTPResponse {
        let cancellation = Cancellation()
        let result: Result<HTTPResponse, HTTPClientError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                loop.add(
                    Transfer(
                        request, bodyLimit: configuration.bodyLimit, endedBy: cancellation, resuming: continuation))
            }
        } onCancel: {
            cancellation.request()
            loop.noteCancellation()
        }
        // The loop is the client's: it must not stop while somebody waits here.
        return try withExtendedLifetime(self) { result }.get()
    }
}
