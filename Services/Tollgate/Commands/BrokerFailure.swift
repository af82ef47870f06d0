internal import Messaging

extension ToolFailure {
    /// What a broker's error means to an operator.
    init(_ error: BrokerError) {
        switch error {
        case .disconnected, .deadline:
            self.init(.unavailable, "\(error)", advice: "is the broker running where TOLLGATE_BROKER says?")
        case .notAllowed:
            self.init(
                .failed, "\(error)",
                advice: """
                    is the password in TOLLGATE_BROKER right? The tool's login is the user tollgate; topology apply gives \
                    it its rights
                    """)
        case .differs:
            self.init(.failed, "\(error)", advice: "tollgate topology check names everything that differs")
        case .ownedElsewhere, .missing, .unexpected:
            self.init(.failed, "\(error)")
        }
    }
}
