import Messages
import TestSupport

/// What operators ask; what they are told is compared at the end.
extension LinePlay {
    /// Three of the questions, other ones in each line.
    mutating func look() async throws {
        let questions = questions
        for number in 0..<3 {
            try await stage.tool(questions[(line.number / 10 * 3 + number) % questions.count])
        }
    }

    private var questions: [[String]] {
        let app = ["--app", Installation.app]
        let anna = user(.anna)
        return [
            ["users", "show", anna] + app, ["users", "why", anna, Installation.entitlement] + app,
            ["users", "export", anna] + app, ["users", "erase", anna, "--by", "torture"] + app,
            ["links", "contested"], ["links", "history", original] + app, ["artifacts", "list"],
            // Of all that is kept, which grows: without a rate, and judging next to nothing.
            ["artifacts", "reverify", "--reason", "untrusted_chain", "--rate", "100000"], ["products", "list"] + app,
            ["paywalls", "list"] + app,
            ["placements", "list"] + app, ["experiments", "list"] + app,
            ["experiments", "assign", Stage.experiment.rawValue, install] + app, ["signposts", "names"] + app,
            ["signposts", "tail"], ["funnel"] + app, ["devices", "list"], ["keys", "list"], ["apps", "list"],
        ]
    }
}
