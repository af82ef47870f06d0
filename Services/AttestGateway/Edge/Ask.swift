package import Messages

/// Asks another part of the installation and waits for its answer.
///
/// - Throws: when no answer came within the duration, or nobody is there to give one.
package typealias Ask<Question: Query> =
    @Sendable (_ question: Question, _ deadline: Duration) async throws -> Answer<Question.Value>
