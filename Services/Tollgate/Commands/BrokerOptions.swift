internal import AMQP
internal import HTTPClient
internal import Messages
internal import ServiceKit

/// Where the broker is and its management API, as options and settings say.
struct BrokerOptions: Sendable {
    static let broker = Option.text(
        "--broker", "URL", "The broker and the login at it, amqp://user:password@host:port/vhost",
        variable: "TOLLGATE_BROKER")
    static let management = Option.text(
        "--management", "URL", "Its management API, http://host:15672; the login is that of the broker",
        variable: "TOLLGATE_BROKER_MANAGEMENT")

    static let all: [any OptionDescription] = [broker, management]

    /// The broker, and how to reach it.
    let settings: BrokerSettings
    /// Its management API, if it is known.
    let management: ManagementAPI?

    /// Who we are to the broker.
    var login: (user: BrokerUser, password: String) {
        (BrokerUser(rawValue: settings.address.user), settings.address.password.revealed)
    }

    /// Where everything of the installation is.
    var virtualHost: String { settings.address.virtualHost }

    init(from arguments: Arguments, in surroundings: Surroundings) throws {
        var environment = surroundings.environment
        // The option wins; the rest (certificates, heartbeat) are settings alone.
        if let url = try arguments.optional(Self.broker), url != environment["TOLLGATE_BROKER"] {
            // Not shown: there is a password in it.
            guard BrokerAddress(url) != nil else {
                throw arguments.wrong("--broker: expected amqp://user:password@host:port/vhost, or amqps://")
            }
            environment["TOLLGATE_BROKER"] = url
        }
        let settings = try BrokerSettings(from: Settings(environment: environment))
        self.settings = settings
        management = try arguments.optional(Self.management).map { url in
            let address = settings.address
            let credentials = HTTPRequest.BasicCredentials(user: address.user, password: address.password.revealed)
            guard
                let management = ManagementAddress(
                    url, credentials: credentials, virtualHost: address.virtualHost)
            else {
                throw SettingsError(
                    name: "TOLLGATE_BROKER_MANAGEMENT", value: url, expectation: "http://host:port without a login")
            }
            return ManagementAPI(management, authorityFile: settings.tls.authority)
        }
    }
}
