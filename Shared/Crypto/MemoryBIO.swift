internal import COpenSSL

/// OpenSSL's stream over memory, for the PEM functions and for text of its own.
struct MemoryBIO: ~Copyable {
    private let handle: OpaquePointer

    /// An empty one, to be written to.
    init() throws(CryptoError) {
        guard let handle = BIO_new(BIO_s_mem()) else { throw .current("BIO_new") }
        self.handle = handle
    }

    /// One that holds a copy of `bytes`, to be read from.
    init(copying bytes: some Collection<UInt8>) throws(CryptoError) {
        guard let count = Int32(exactly: bytes.count) else { throw CryptoError(.malformed, "PEM text") }
        guard let handle = BIO_new(BIO_s_mem()) else { throw .current("BIO_new") }
        guard bytes.withBytes({ BIO_write(handle, $0.baseAddress, count) }) == count else {
            BIO_free(handle)
            throw .current("BIO_write")
        }
        self.handle = handle
    }

    deinit { BIO_free(handle) }

    /// Lends the stream to OpenSSL for one call.
    borrowing func withHandle<Result>(_ body: (OpaquePointer) -> Result) -> Result { body(handle) }

    /// What has been written and not yet read.
    borrowing func text() -> String {
        var start: UnsafeMutablePointer<CChar>?
        let count = tollgate_bio_memory(handle, &start)
        guard let start, count > 0 else { return "" }
        return String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    }
}
