/// The routes as a tree over path segments. A literal beats a parameter, and a branch that ends in
/// nothing gives way to the next: `/users/me` and `/users/{id}/orders` live side by side.
struct RouteTable: Sendable {
    enum Match {
        case route(Route, parameters: [String: String])
        /// The path exists, for these methods; never empty.
        case otherMethods([HTTPMethod])
        case none
    }

    private final class Node: Sendable {
        let literals: [String: Node]
        let parameter: Node?
        let routes: [HTTPMethod: Route]

        init(literals: [String: Node], parameter: Node?, routes: [HTTPMethod: Route]) {
            self.literals = literals
            self.parameter = parameter
            self.routes = routes
        }
    }

    private let root: Node

    /// Stops the process when two routes have the same method and shape: one of them could never be reached.
    init(_ routes: [Route]) {
        root = Self.node(for: routes[...].map { ($0, $0.pattern.parts[...]) })
    }

    func match(_ method: HTTPMethod, _ segments: [String]) -> Match {
        var methods: [HTTPMethod] = []
        var values: [String] = []
        guard let route = Self.find(method, segments[...], below: root, values: &values, methods: &methods) else {
            return methods.isEmpty ? .none : .otherMethods(Self.withImplied(methods))
        }
        let parameters = Dictionary(zip(route.pattern.parameterNames, values)) { first, _ in first }
        return .route(route, parameters: parameters)
    }

    /// The fields of every response on this path, whatever is asked of it: those of its first route by method. None: there
    /// is no such path.
    func responseHeaders(_ segments: [String]) -> HTTPHeaders? {
        guard case .otherMethods(let methods) = match(HTTPMethod(rawValue: ""), segments) else { return nil }
        for method in methods {
            if case .route(let route, _) = match(method, segments) { return route.limits.responseHeaders }
        }
        return nil
    }

    private static func find(
        _ method: HTTPMethod, _ segments: ArraySlice<String>, below node: Node, values: inout [String],
        methods: inout [HTTPMethod]
    ) -> Route? {
        guard let segment = segments.first else {
            // A HEAD is a GET whose body is not sent (RFC 9110 § 9.3.2).
            if let route = node.routes[method] ?? (method == .head ? node.routes[.get] : nil) { return route }
            methods += node.routes.keys
            return nil
        }
        let rest = segments.dropFirst()
        if let next = node.literals[segment],
            let route = find(method, rest, below: next, values: &values, methods: &methods)
        {
            return route
        }
        guard let next = node.parameter, !segment.isEmpty else { return nil }
        values.append(segment)
        if let route = find(method, rest, below: next, values: &values, methods: &methods) { return route }
        values.removeLast()
        return nil
    }

    private static func withImplied(_ methods: [HTTPMethod]) -> [HTTPMethod] {
        var all = Set(methods).union([.options])
        if all.contains(.get) { all.insert(.head) }
        return all.sorted { $0.rawValue < $1.rawValue }
    }

    private static func node(for routes: [(route: Route, rest: ArraySlice<RoutePattern.Part>)]) -> Node {
        var ending: [HTTPMethod: Route] = [:]
        var literals: [String: [(Route, ArraySlice<RoutePattern.Part>)]] = [:]
        var parameters: [(Route, ArraySlice<RoutePattern.Part>)] = []
        for (route, rest) in routes {
            switch rest.first {
            case nil:
                let earlier = ending.updateValue(route, forKey: route.method)
                precondition(earlier == nil, "\(route.method) \(route.pattern.text) is there twice")
            case .literal(let text): literals[text, default: []].append((route, rest.dropFirst()))
            case .parameter: parameters.append((route, rest.dropFirst()))
            }
        }
        return Node(
            literals: literals.mapValues(node(for:)), parameter: parameters.isEmpty ? nil : node(for: parameters),
            routes: ending)
    }
}
