extension VerificationStep {
    /// Whether there is a key to check the signature with.
    public static let key = VerificationStep(rawValue: "key")
    /// What was signed: JSON with the members that a purchase has.
    public static let data = VerificationStep(rawValue: "data")
    /// Whether it is for this app.
    public static let package = VerificationStep(rawValue: "package")
    /// Whether it is of this product.
    public static let product = VerificationStep(rawValue: "product")
    /// Whether it is the purchase that it is said to be.
    public static let token = VerificationStep(rawValue: "token")
}
