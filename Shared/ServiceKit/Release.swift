/// Which release this is; dead letters and `--version` name it.
public enum Release {
    /// As in the CHANGELOG.
    public static let version = "0.2.0"
}
