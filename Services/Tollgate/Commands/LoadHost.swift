internal import AMQP
internal import FoundationEssentials
internal import Messages
internal import ServiceKit

/// Where a run may go: only to this host, unless it is said that another one is meant.
enum LoadHost {
    /// Whether a host is this one, by its name alone.
    static func isLocal(_ host: String) -> Bool {
        let host = host.lowercased()
        if host == "localhost" || host == "::1" || host == "[::1]" { return true }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        return numbers.count == 4 && numbers[0] == 127 && !numbers.contains(nil)
    }

    /// - Throws: ``UsageError`` for a host that is another one.
    static func check(_ arguments: Arguments, broker: BrokerOptions) throws {
        guard !arguments.isSet(LoadOptions.remote) else { return }
        var hosts = [broker.settings.address.host]
        switch try arguments.value(of: LoadOptions.through) {
        case .http: hosts.append(URL(string: try arguments.value(of: LoadOptions.url))?.host ?? "")
        case .queues:
            if let address = try arguments.optional(LoadOptions.loadBroker).flatMap(BrokerAddress.init) {
                hosts.append(address.host)
            }
        }
        for host in hosts where !isLocal(host) {
            throw arguments.wrong("\(host.onOneLine) is not this host; --remote says that it is meant all the same")
        }
    }

    /// The broker with the login of load: a service's or an operator's could do what no stranger can.
    ///
    /// - Throws: ``UsageError`` without an address, or with another login.
    static func loadBroker(_ arguments: Arguments, in surroundings: Surroundings) throws -> BrokerSettings {
        guard let text = try arguments.optional(LoadOptions.loadBroker) else {
            throw arguments.wrong("--load-broker URL is missing, or set TOLLGATE_LOAD_BROKER")
        }
        // Not shown: there is a password in it.
        guard let address = BrokerAddress(text) else {
            throw arguments.wrong("--load-broker: expected amqp://tollgate-load:password@host:port/vhost, or amqps://")
        }
        guard BrokerUser(rawValue: address.user) == .load else {
            throw arguments.wrong("--load-broker: the login has to be \(BrokerUser.load), as topology apply makes it")
        }
        var environment = surroundings.environment
        environment["TOLLGATE_BROKER"] = text
        return try BrokerSettings(from: Settings(environment: environment))
    }
}
