// What is asked about is not there. Every service says it alike.
extension Refusal {
    /// Nobody has connected the app, or the service has not heard of it yet.
    public static let appUnknown = Refusal("app_unknown", "No such app is connected")
    /// Nothing has named the user, or he was erased.
    public static let userUnknown = Refusal("user_unknown", "Nothing has named this user yet")
}
