internal import Lane
internal import Messages
internal import SQLite

/// The newest command about each paywall, placement and experiment, in the partition of its app.
enum CommandStore {
    /// How a command stands to what was said about the same thing before.
    enum Standing {
        /// Nothing as new has been said.
        case newest
        /// It is the one that was said last.
        case repeated
        /// Something was said later.
        case overtaken
    }

    /// What commands are about.
    enum Subject: String {
        case paywall, placement, experiment
    }

    static func standing(
        of context: MessageContext, about subject: Subject, _ name: String, of app: AppID,
        of organisation: OrganisationID,
        in transaction: borrowing Transaction
    ) throws -> Standing {
        let comparison = try transaction.first(
            """
            SELECT CASE WHEN (accepted_at, message_id) < (?5, ?6) THEN 0
                WHEN (accepted_at, message_id) = (?5, ?6) THEN 1 ELSE 2 END
            FROM commands WHERE organisation = ?1 AND app = ?2 AND subject = ?3 AND name = ?4
            """, SQLValue(organisation), SQLValue(app), SQLValue(subject.rawValue), SQLValue(name),
            SQLValue(context.acceptedAt), SQLValue(context.id)
        ) { try $0.int(0) }
        return switch comparison {
        case 1: .repeated
        case 2: .overtaken
        default: .newest
        }
    }

    /// Notes the newest.
    static func note(
        _ context: MessageContext, about subject: Subject, _ name: String, of app: AppID,
        of organisation: OrganisationID,
        in transaction: borrowing Transaction
    ) throws {
        try transaction.run(
            """
            REPLACE INTO commands (organisation, app, subject, name, bucket, accepted_at, message_id)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """, SQLValue(organisation), SQLValue(app), SQLValue(subject.rawValue), SQLValue(name),
            SQLValue(context.bucket.number), SQLValue(context.acceptedAt), SQLValue(context.id))
    }
}
