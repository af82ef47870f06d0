internal import CCurl
internal import Glibc
internal import Synchronization

/// The thread that drives all transfers of a client, and the only one that touches its handles.
final class TransferLoop: Sendable {
    /// What waits for the thread.
    private struct Inbox {
        var added: [Transfer] = []
        var hasCancellations = false
        var isStopped = false
    }

    private let configuration: HTTPClientConfiguration
    // Sendable by hand: other threads only call `curl_multi_wakeup`, which is made for it. Freed by the last owner,
    // and the thread is one.
    private nonisolated(unsafe) let multi: UnsafeMutableRawPointer?
    private let inbox = Mutex(Inbox())

    init(_ configuration: HTTPClientConfiguration) {
        _ = Self.libraryIsReady
        self.configuration = configuration
        multi = curl_multi_init()
        curl_shim_multi_set_number(multi, CURLMOPT_MAX_HOST_CONNECTIONS, configuration.maxConnectionsPerHost)
        // Otherwise libcurl keeps four times as many as it has transfers, and forgets most after each lull.
        curl_shim_multi_set_number(multi, CURLMOPT_MAXCONNECTS, 1024)
    }

    deinit { curl_multi_cleanup(multi) }

    /// Not thread-safe, so once and before anything else.
    private static let libraryIsReady: Bool = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    func start() {
        var thread = pthread_t()
        let code = pthread_create(&thread, nil, transferLoopMain, Unmanaged.passRetained(self).toOpaque())
        precondition(code == 0, "No thread could be started for an HTTP client: error \(code)")
        pthread_detach(thread)
    }

    // MARK: On any thread

    func add(_ transfer: Transfer) {
        inbox.withLock { $0.added.append(transfer) }
        curl_multi_wakeup(multi)
    }

    /// Has the thread look for the cancelled among its transfers.
    func noteCancellation() {
        inbox.withLock { $0.hasCancellations = true }
        curl_multi_wakeup(multi)
    }

    func stop() {
        inbox.withLock { $0.isStopped = true }
        curl_multi_wakeup(multi)
    }

    // MARK: On the loop's thread

    fileprivate func run() {
        // OpenSSL writes to sockets whose peer is gone; libcurl leaves the signal to us since `CURLOPT_NOSIGNAL` is set.
        var brokenPipe = sigset_t()
        sigemptyset(&brokenPipe)
        sigaddset(&brokenPipe, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &brokenPipe, nil)
        var work = RunningTransfers(multi, configuration)
        while true {
            let news = inbox.withLock { inbox in
                defer {
                    inbox.added = []
                    inbox.hasCancellations = false
                }
                return inbox
            }
            for transfer in news.added { work.start(transfer) }
            if news.hasCancellations { work.endCancelled() }
            guard !news.isStopped else { return work.stop() }
            work.perform()
            // Returns when a socket or a timeout of libcurl wants attention, or `curl_multi_wakeup` was called.
            curl_multi_poll(multi, nil, 0, 60_000, nil)
        }
    }
}

private func transferLoopMain(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    Unmanaged<TransferLoop>.fromOpaque(argument).takeRetainedValue().run()
    return nil
}
