internal import Glibc
internal import StoreSimulator

/// `tollgate simulate authority`
struct SimulateAuthority: ToolCommand {
    static let layout = CommandLayout(
        "simulate authority", "Makes a signing authority that looks like a store's, for tests and demos",
        details: "One that is there stays. Only apps that were added with its root as --test-root believe it.",
        operands: [Operand("DIR", "The folder for its keys and certificates")],
        example: "tollgate simulate authority ./authority")

    private struct Made: Encodable {
        let root: String
        let isNew: Bool
    }

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let folder = arguments.operand(0)
        let root = "\(folder)/root.pem"
        let isThere = access("\(folder)/authority.pem", F_OK) == 0
        if isThere {
            _ = try TestAuthority(loadingFrom: folder)
        } else {
            try TestAuthority.make().save(to: folder)
        }
        return try Output(
            "\(isThere ? "there already" : "made"); its root is \(root)", json: Made(root: root, isNew: !isThere))
    }
}
