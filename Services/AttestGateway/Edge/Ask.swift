package import Messages

/// Asks another part of the installation and waits for its answer.
///
/// A query or a request: what nobody answers in time leaves nothing behind that would be done later.
///
/// - Throws: when no answer came within the duration, or nobody is there to give one.
package typealias Ask<Question: AddressedMessage> =
    @Sendable (_ question: Question, _ deadline: Duration) async throws -> Answer<Question.Value>
