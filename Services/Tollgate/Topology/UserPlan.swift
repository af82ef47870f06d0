package import Messages

/// What has to be done about the logins of an installation: pure, so that it can be shown before it is done.
package struct UserPlan: Sendable, Equatable {
    /// Logins that get a password: new ones, and those whose password the file says.
    package var passwords: [(user: BrokerUser, password: String)] = []
    /// Of these, logins that are there and of which the file did not know the password: it is another from now on.
    package var renewed: [BrokerUser] = []
    /// Logins that are not there and for which nobody gave a file of passwords.
    package var withoutPassword: [BrokerUser] = []
    /// The file as it has to be; nil: as it is.
    package var changedFile: PasswordFile?

    /// - Parameters:
    ///   - users: those that the installation needs.
    ///   - existing: those that the broker has.
    ///   - file: the passwords that are known; nil: no file was given.
    ///   - login: who asks. His password is in use and stays: the file gets to know it.
    ///   - makePassword: of a new login.
    package init(
        users: [BrokerUser], existing: Set<BrokerUser>, file: PasswordFile?,
        login: (user: BrokerUser, password: String),
        makePassword: () -> String
    ) {
        guard var file else {
            withoutPassword = users.filter { !existing.contains($0) }
            return
        }
        let before = file
        for user in users {
            if user == login.user {
                if file.password(of: user) != login.password { file.set(login.password, for: user) }
                continue
            }
            let password = file.password(of: user) ?? makePassword()
            if file.password(of: user) == nil {
                file.set(password, for: user)
                if existing.contains(user) { renewed.append(user) }
            }
            passwords.append((user, password))
        }
        if file != before { changedFile = file }
    }

    package static func == (left: UserPlan, right: UserPlan) -> Bool {
        left.withoutPassword == right.withoutPassword && left.changedFile == right.changedFile
            && left.renewed == right.renewed
            && left.passwords.elementsEqual(right.passwords) { $0 == $1 }
    }
}

/// The same by hand, for a broker without a management API.
package enum BrokerCommands {
    /// Lines for a shell on the broker's host.
    ///
    /// - Parameter passwords: path of the file from which the passwords are read; nil: they are asked for.
    package static func lines(
        for users: [BrokerPermissions], virtualHost: String, passwords: String?
    ) -> [String] {
        let host = virtualHost.shellQuoted
        return users.flatMap { user -> [String] in
            let name = user.user.rawValue
            // Without a password behind the name rabbitmqctl asks for it, or reads it from its standard input.
            let source = passwords.map { "sed -n 's/^\(name)=//p' \($0.shellQuoted) | " } ?? ""
            var lines = [
                "\(source)rabbitmqctl add_user \(name)",
                "rabbitmqctl set_permissions -p \(host) \(name) \(user.configure.shellQuoted) \(user.write.shellQuoted) "
                    + user.read.shellQuoted,
                "rabbitmqctl set_topic_permissions -p \(host) \(name) \(Exchange.events.rawValue) "
                    + "\(user.events.shellQuoted) '.*'",
            ]
            if !user.tags.isEmpty {
                lines.append("rabbitmqctl set_user_tags \(name) \(user.tags.joined(separator: " "))")
            }
            return lines
        }
    }
}
