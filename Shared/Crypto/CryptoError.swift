internal import COpenSSL

/// Why OpenSSL could not do what it was asked.
///
/// A signature that does not match or a chain that is not trusted is an answer and never comes as an error.
public struct CryptoError: Error, Equatable, Sendable {
    /// Whose fault it is.
    public enum Fault: Sendable {
        /// The bytes are not what they should be; the same bytes fail again.
        case malformed
        /// The operation failed for a reason of its own, such as memory; trying again may help.
        case failed
    }

    /// Whose fault it is.
    public let fault: Fault
    /// The OpenSSL function, or what was being read.
    public let operation: String
    /// OpenSSL's packed error code; 0 if it left none.
    public let code: UInt
    /// OpenSSL's words for the code.
    public let text: String

    init(_ fault: Fault, _ operation: String, code: UInt = 0, text: String = "") {
        self.fault = fault
        self.operation = operation
        self.code = code
        self.text = text
    }

    /// Takes the first error from this thread's queue, which is the cause of the others, and empties the queue:
    /// what stays in it would be taken for the reason of a later failure.
    static func current(_ operation: String, _ fault: Fault = .failed) -> CryptoError {
        defer { ERR_clear_error() }
        let code = ERR_get_error()
        guard code != 0 else { return CryptoError(fault, operation) }
        var text = [CChar](repeating: 0, count: 256)
        ERR_error_string_n(code, &text, text.count)
        let words = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return CryptoError(fault, operation, code: UInt(code), text: String(decoding: words, as: UTF8.self))
    }
}

extension CryptoError: CustomStringConvertible, CustomDebugStringConvertible {
    /// For clients.
    public var description: String {
        switch fault {
        case .malformed: "Malformed: \(operation)"
        case .failed: "A cryptographic operation failed"
        }
    }

    /// For the operator's log.
    public var debugDescription: String { "OpenSSL \(operation): \(text.isEmpty ? "no reason given" : text)" }
}
