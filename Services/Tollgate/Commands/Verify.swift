internal import Crypto
internal import FoundationEssentials
internal import StoreArtifacts

/// `tollgate verify`
struct Verify: ToolCommand {
    static let layout = CommandLayout(
        "verify", "Says whether Apple, Google or AppCoins has signed something, and what it says",
        details: """
            FILE holds it as it is or as text in Base64, PEM or JSON; what it is is seen from it. A purchase is an object
            with signed_data and signature, and with public_key unless that is given; beside an attestation or assertion
            there may be what belongs to it: client_data, client_data_hash or challenge, key_id, public_key, last_counter.
            What an option would compare and is not given is not compared, and named. Nothing is sent anywhere; no
            broker, no settings.
            Exit status: 0 verified, 1 refused, 2 not to be used yet, 64 wrong command line or no such file.
            """,
        operands: [Operand("FILE", "Where it is; - reads standard input")], options: VerifyOptions.all,
        example: "tollgate verify --bundle-id com.example.tunes --environment production receipt.b64")

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let options = try VerifyOptions(arguments)
        let input = try InputFile(arguments.operand(0)).bytes(upTo: ArtifactExaminer.limit)
        let examination: Examination
        do {
            examination = try ArtifactExaminer(trust: options.trust)
                .examine(input, as: options.kind, expecting: options.expectations, at: .now)
        } catch let error as CryptoError {
            throw ToolFailure(.unavailable, "a check could not be made: \(error.debugDescription)")
        }
        let report = examination.report
        let status: ExitStatus =
            switch report.verdict {
            case .verified: .success
            case .refused: .failed
            case .retryable: .unavailable
            }
        return try Output(
            ArtifactPage(report, of: examination.artifact, signer: examination.signer).text, json: report,
            status: status, remark: options.unused(for: examination.kind))
    }
}
