internal import CCurl

/// A handle for one transfer at a time, used again for the next. Belongs to the loop's thread.
final class EasyHandle {
    let pointer: UnsafeMutableRawPointer
    /// Kept by us: libcurl only borrows it.
    private var headerList: UnsafeMutablePointer<curl_slist>?

    init?() {
        guard let pointer = curl_easy_init() else { return nil }
        self.pointer = pointer
    }

    deinit {
        curl_easy_cleanup(pointer)
        curl_slist_free_all(headerList)
    }

    /// Forgets the last transfer and takes what the next one needs.
    ///
    /// - Throws: `malformedRequest` for what would not arrive as it was meant.
    func prepare(_ request: HTTPRequest, _ configuration: HTTPClientConfiguration) throws(HTTPClientError) {
        curl_easy_reset(pointer)
        try set(CURLOPT_URL, request.url, request)
        try set(CURLOPT_PROTOCOLS_STR, "http,https", request)
        set(CURLOPT_PROXY, "")
        set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_TIMEOUT_MS, request.timeout.wholeMilliseconds)
        set(CURLOPT_CONNECTTIMEOUT_MS, configuration.connectTimeout.wholeMilliseconds)
        set(CURLOPT_FOLLOWLOCATION, configuration.maxRedirects > 0 ? 1 : 0)
        set(CURLOPT_MAXREDIRS, configuration.maxRedirects)
        try setMethodAndBody(request)
        try setHeaders(request)
        set(CURLOPT_SSL_VERIFYPEER, 1)
        set(CURLOPT_SSL_VERIFYHOST, 2)
        if let file = configuration.authorityFile { set(CURLOPT_CAINFO, file) }
        if let certificate = configuration.clientCertificate {
            set(CURLOPT_SSLCERT, certificate.certificateFile)
            set(CURLOPT_SSLKEY, certificate.keyFile)
        }
        if let credentials = request.credentials {
            // Basic is what libcurl uses unless told otherwise.
            set(CURLOPT_USERNAME, credentials.user)
            set(CURLOPT_PASSWORD, credentials.password)
        }
    }

    /// The status, once the headers are there.
    var status: Int { curl_shim_status(pointer) }

    private func setMethodAndBody(_ request: HTTPRequest) throws(HTTPClientError) {
        guard !request.method.isEmpty, request.method.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw HTTPClientError(.malformedRequest, request, "The method has characters that it must not have")
        }
        if request.method == "HEAD" {
            set(CURLOPT_NOBODY, 1)
        } else if !request.body.isEmpty || ["POST", "PUT", "PATCH"].contains(request.method) {
            // The size first: the body may hold NULs, and is copied up to this length.
            curl_shim_set_size(pointer, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(request.body.count))
            request.body.withUnsafeBytes { body in
                // An empty array may have no address, and none means "read from a callback".
                withUnsafeBytes(of: UInt8(0)) { nothing in
                    _ = curl_shim_set_pointer(
                        pointer, CURLOPT_COPYPOSTFIELDS, body.baseAddress ?? nothing.baseAddress)
                }
            }
        }
        set(CURLOPT_CUSTOMREQUEST, request.method)
    }

    private func setHeaders(_ request: HTTPRequest) throws(HTTPClientError) {
        curl_slist_free_all(headerList)
        headerList = nil
        let names = Set(request.headers.keys.map { $0.lowercased() })
        for (name, value) in request.headers {
            guard !name.isEmpty, !(name + value).utf8.contains(where: { $0 == 0 || $0 == 10 || $0 == 13 }) else {
                throw HTTPClientError(.malformedRequest, request, "A header has characters that it must not have")
            }
            // A semicolon is how libcurl wants a header without a value.
            append(value.isEmpty ? "\(name);" : "\(name): \(value)")
        }
        // Without a value: not sent. A form is not what we send, and waiting for "100 Continue" costs a round trip.
        for name in ["Content-Type", "Expect"] where !names.contains(name.lowercased()) { append("\(name):") }
        curl_shim_set_pointer(pointer, CURLOPT_HTTPHEADER, headerList)
    }

    private func append(_ line: String) { headerList = curl_slist_append(headerList, line) }

    private func set(_ option: CURLoption, _ number: Int) { curl_shim_set_number(pointer, option, number) }

    private func set(_ option: CURLoption, _ text: String) { curl_shim_set_text(pointer, option, text) }

    private func set(_ option: CURLoption, _ text: String, _ request: HTTPRequest) throws(HTTPClientError) {
        let code = curl_shim_set_text(pointer, option, text)
        guard code == CURLE_OK else { throw HTTPClientError(code, request) }
    }
}

extension HTTPClientError {
    init(_ kind: Kind, _ request: HTTPRequest, _ reason: String) {
        let url = request.url.prefix { $0 != "?" }
        self.init(kind: kind, request: "\(request.method) \(url)", reason: reason)
    }

    init(_ code: CURLcode, _ request: HTTPRequest) {
        let kind: Kind =
            switch code {
            case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL: .malformedRequest
            case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT: .cannotConnect
            case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CACERT_BADFILE,
                CURLE_SSL_CERTPROBLEM:
                .untrusted
            case CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_PARTIAL_FILE: .interrupted
            case CURLE_OPERATION_TIMEDOUT: .timedOut
            default: .other(code.rawValue)
            }
        self.init(kind, request, String(cString: curl_easy_strerror(code)))
    }
}

extension Duration {
    /// Rounded up, and never the 0 that means "no limit" to libcurl.
    fileprivate var wholeMilliseconds: Int {
        let milliseconds = (self / .milliseconds(1)).rounded(.up)
        return Int(min(max(milliseconds, 1), 0x7FFF_FFFF))
    }
}
