internal import Messages
internal import ServiceKit

/// `tollgate topology apply`
struct TopologyApply: ToolCommand {
    static let passwords = Option.text(
        "--passwords", "FILE",
        "user=password lines for the logins; those that are missing are added with random passwords, for mode 0600")
    static let dryRun = Flag("--dry-run", "Only say what would be done")

    static let layout = CommandLayout(
        "topology apply", "Declares everything at the broker, and makes the services' logins",
        details: """
            May be repeated: what is there as it should be stays, and nothing is removed. Logins need the management API; \
            without it the commands for rabbitmqctl are printed. A login that is missing is made only with --passwords, \
            from which each service then gets its own. A login that is there gets the password in the file, a new one if the \
            file has none; the password of the login in use is never changed.
            \(LayoutOptions.details)
            """,
        options: [passwords, dryRun] + LayoutOptions.all + BrokerOptions.all,
        example: "tollgate topology apply --passwords /etc/tollgate/passwords")

    private struct Applied: Encodable {
        var isDryRun: Bool
        var exchanges: Int
        var queues: Int
        var bindings: Int
        /// What differs before; of a dry run with a management API.
        var differences: [Difference]?
        var users: [BrokerUser]
        var usersNotMade: [BrokerUser]
        /// Users that were there and whose password the file did not know.
        var usersWithNewPassword: [BrokerUser]
        /// To be run at the broker, where there is no management API.
        var commands: [String]
    }

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let layout = try LayoutOptions.layout(from: arguments, in: surroundings)
        let topology = Topology(layout)
        let options = try BrokerOptions(from: arguments, in: surroundings)
        let path = try arguments.optional(passwords)
        let isDryRun = arguments.isSet(dryRun)
        let state = isDryRun ? try await options.management?.state() : nil
        let existing = try await options.existingUsers(state)
        let plan = UserPlan(
            users: BrokerPermissions.all.map(\.user), existing: existing ?? [],
            file: try path.map { path throws in try PasswordFile(readingFrom: path) },
            login: options.login, makePassword: PasswordFile.random)
        var applied = Applied(
            isDryRun: isDryRun, exchanges: topology.exchanges.count, queues: topology.queues.count,
            bindings: topology.bindings.count,
            differences: state.map { TopologyComparison(layout: layout).differences(in: $0) },
            users: BrokerPermissions.all.map(\.user).filter { !plan.withoutPassword.contains($0) },
            usersNotMade: plan.withoutPassword, usersWithNewPassword: plan.renewed, commands: [])
        if options.management == nil {
            applied.users = []
            applied.usersNotMade = []
            applied.commands = BrokerCommands.lines(
                for: BrokerPermissions.all, virtualHost: options.virtualHost, passwords: path)
        }
        if !isDryRun {
            try await options.declare(topology, in: surroundings)
            // Before the logins: a password that nobody has written down would be lost.
            if let path { try plan.changedFile?.write(to: path) }
            try await options.make(plan, permissions: BrokerPermissions.all)
        }
        return try Output(text(applied, topology), json: applied)
    }

    private static func text(_ applied: Applied, _ topology: Topology) -> String {
        var lines = ["\(applied.isDryRun ? "would declare what is missing of" : "declared") \(topology.summary)"]
        // The rest is not for it to change, and the check names it.
        lines += (applied.differences ?? []).filter { $0.remedy.hasPrefix(TopologyComparison.apply) }
            .map { "  \($0.subject) \($0.problem)" }
        if !applied.users.isEmpty {
            lines.append(
                "\(applied.isDryRun ? "would see to" : "saw to") the users "
                    + applied.users.map(\.rawValue).joined(separator: ", "))
        }
        if !applied.usersWithNewPassword.isEmpty {
            lines.append(
                "\(applied.isDryRun ? "would give" : "gave") a new password, for the file had none, to "
                    + applied.usersWithNewPassword.map(\.rawValue).joined(separator: ", ")
                    + ": who runs with the old one is not let in again")
        }
        if !applied.usersNotMade.isEmpty {
            lines.append(
                "not made, for there is no --passwords FILE: "
                    + applied.usersNotMade.map(\.rawValue).joined(separator: ", "))
        }
        if !applied.commands.isEmpty {
            lines.append("TOLLGATE_BROKER_MANAGEMENT is not set; to make the users, run at the broker:")
            lines += applied.commands.map { "  \($0)" }
        }
        return lines.joined(separator: "\n")
    }
}

extension BrokerOptions {
    /// The logins that the broker has; nil: nobody can say.
    fileprivate func existingUsers(_ state: BrokerState?) async throws -> Set<BrokerUser>? {
        var users = state?.users
        if users == nil { users = try await management?.users() }
        return users.map { Set($0.map { BrokerUser(rawValue: $0.name) }) }
    }

    /// Makes logins and gives all that are there their rights.
    fileprivate func make(_ plan: UserPlan, permissions: [BrokerPermissions]) async throws {
        guard let management else { return }
        let tags = Dictionary(permissions.map { ($0.user, $0.tags) }) { first, _ in first }
        for (user, password) in plan.passwords {
            try await management.put(user, password: password, tags: tags[user] ?? [])
        }
        for permission in permissions where !plan.withoutPassword.contains(permission.user) {
            try await management.put(permission)
        }
    }
}
