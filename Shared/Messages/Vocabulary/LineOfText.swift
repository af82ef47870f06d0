extension String {
    /// Whether it stands on one line and shows all that it is: no control character, no mark that turns the direction of
    /// writing or hides in the text, no separator of lines or paragraphs. On a terminal or in a log any of these can make one
    /// text look like another, or like two.
    public var isLineOfText: Bool {
        unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: false
            default: true
            }
        }
    }
}

extension TextIdentifier {
    /// Whether an operator may configure something under it: ``isAcceptable``, and fit for a line of a terminal.
    public var isConfigurable: Bool { isAcceptable && rawValue.isLineOfText }

    /// What one that ``isConfigurable`` looks like; said when one is not.
    public static var expectationOfConfigurable: String {
        "1 to 256 bytes without control or formatting characters"
    }
}
