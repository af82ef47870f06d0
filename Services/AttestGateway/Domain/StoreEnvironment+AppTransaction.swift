internal import Messages

extension StoreEnvironment {
    /// What StoreKit calls `AppTransaction.environment`; nothing is Production, and what is none of its names is not:
    /// nobody who says otherwise may count among those who pay.
    init(ofAppTransaction name: String?) {
        switch name?.lowercased() {
        case nil, "production": self = .production
        case "xcode": self = .xcode
        default: self = .sandbox
        }
    }
}
