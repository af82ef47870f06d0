/// Asks for an app's experiments, a page at a time. Sent by the operator's tool. Key: `<organisation>/<app>`.
public struct ExperimentList: Query {
    /// `experiment.list.v1`
    public static let kind: MessageKind = "experiment.list.v1"
    /// paywall-experiments.
    public static let recipient = ServiceName.paywallExperiments

    /// Whose app it is.
    public var organisation: OrganisationID
    /// The app.
    public var app: AppID
    /// Only this one; absent: all.
    public var experiment: ExperimentID?
    /// The last one of the page before; absent: from the beginning.
    public var after: ExperimentID?

    /// A question of these.
    public init(
        organisation: OrganisationID, app: AppID, experiment: ExperimentID? = nil, after: ExperimentID? = nil
    ) {
        self.organisation = organisation
        self.app = app
        self.experiment = experiment
        self.after = after
    }

    /// Organisation and app.
    public var key: String { Key.app(organisation, app) }

    /// A page.
    public struct Value: Codable, Sendable, Hashable {
        /// By id.
        public var experiments: [Experiment]
        /// Ask on behind this one; absent: that was all.
        public var next: ExperimentID?

        /// A page of these.
        public init(experiments: [Experiment], next: ExperimentID? = nil) {
            self.experiments = experiments
            self.next = next
        }
    }
}
