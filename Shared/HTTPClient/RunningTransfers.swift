internal import CCurl

/// The transfers that libcurl has in hand. Belongs to the loop's thread.
struct RunningTransfers {
    private let multi: UnsafeMutableRawPointer?
    private let configuration: HTTPClientConfiguration
    private var running: [UnsafeMutableRawPointer: (handle: EasyHandle, transfer: Transfer)] = [:]
    /// Making one anew costs more than a short request.
    private var idle: [EasyHandle] = []

    init(_ multi: UnsafeMutableRawPointer?, _ configuration: HTTPClientConfiguration) {
        self.multi = multi
        self.configuration = configuration
    }

    mutating func start(_ transfer: Transfer) {
        guard !transfer.isCancelled else { return transfer.fail(.cancelled(transfer.request)) }
        guard let handle = idle.popLast() ?? EasyHandle() else {
            return transfer.fail(HTTPClientError(CURLE_OUT_OF_MEMORY, transfer.request))
        }
        do throws(HTTPClientError) {
            try handle.prepare(transfer.request, configuration)
        } catch {
            return transfer.fail(error)
        }
        // Borrowed: `running` keeps the transfer for as long as libcurl has the handle.
        curl_shim_set_callbacks(
            handle.pointer, transferHeader, transferBody, Unmanaged.passUnretained(transfer).toOpaque())
        let code = curl_multi_add_handle(multi, handle.pointer)
        guard code == CURLM_OK else { return transfer.fail(HTTPClientError(CURLE_FAILED_INIT, transfer.request)) }
        running[handle.pointer] = (handle, transfer)
    }

    /// Moves everything on as far as it goes without waiting.
    mutating func perform() {
        var count: Int32 = 0
        curl_multi_perform(multi, &count)
        var code = CURLE_OK
        while let pointer = curl_shim_next_done(multi, &code) {
            guard let (handle, transfer) = take(pointer) else { continue }
            if code == CURLE_OK {
                transfer.finish(status: handle.status)
            } else {
                transfer.fail(HTTPClientError(code, transfer.request))
            }
            idle.append(handle)
        }
    }

    mutating func endCancelled() {
        for (pointer, entry) in running where entry.transfer.isCancelled {
            _ = take(pointer)
            entry.transfer.fail(.cancelled(entry.transfer.request))
        }
    }

    /// Ends everything; there is nothing left unless it was cancelled, because whoever waits keeps the client.
    mutating func stop() {
        for (pointer, entry) in running {
            _ = take(pointer)
            entry.transfer.fail(.cancelled(entry.transfer.request))
        }
        idle = []
    }

    private mutating func take(_ pointer: UnsafeMutableRawPointer) -> (handle: EasyHandle, transfer: Transfer)? {
        curl_multi_remove_handle(multi, pointer)
        return running.removeValue(forKey: pointer)
    }
}

extension HTTPClientError {
    static func cancelled(_ request: HTTPRequest) -> HTTPClientError {
        HTTPClientError(.cancelled, request, "The task was cancelled")
    }
}

/// Anything but the count given ends the transfer with an error.
private func transferHeader(
    bytes: UnsafeMutablePointer<CChar>?, size: Int, count: Int, context: UnsafeMutableRawPointer?
) -> Int {
    guard let bytes, let context else { return 0 }
    Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
        .take(headerLine: UnsafeRawBufferPointer(start: bytes, count: size * count))
    return size * count
}

private func transferBody(
    bytes: UnsafeMutablePointer<CChar>?, size: Int, count: Int, context: UnsafeMutableRawPointer?
) -> Int {
    guard let bytes, let context else { return 0 }
    let isTaken = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
        .take(body: UnsafeRawBufferPointer(start: bytes, count: size * count))
    return isTaken ? size * count : 0
}
