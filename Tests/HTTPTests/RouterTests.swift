import HTTP
import JSON
import ServiceKit
import Testing

@Suite("Routes")
struct RouterTests {
    static let router: Router = {
        var router = Router()
        router.get("/") { _ in .text("root") }
        router.get("/users/me") { _ in .text("me") }
        router.get("/users/{id}") { request in .text("user \(try request.parameter("id"))") }
        router.on(.delete, "/users/{id}") { _ in .empty() }
        router.get("/users/{user}/orders/{order}") { request in
            .text("\(try request.parameter("user"))|\(try request.parameter("order"))")
        }
        router.post("/tree/") { _ in .text("slash") }
        router.get("/query") { request in
            .text(request.queryItems.map { "\($0.name)=\($0.value)" }.joined(separator: ";"))
        }
        return router
    }()

    private func respond(_ method: HTTPMethod, _ target: String, _ router: Router = Self.router) async -> Response {
        await router.respond(method, target, logger: Logger(service: "test") { _ in })
    }

    @Test(
        "The most literal route answers",
        arguments: [
            ("/", "root"), ("/users/me", "me"), ("/users/you", "user you"), ("/users/me/orders/7", "me|7"),
            ("/users/you/orders/7?x=1", "you|7"), ("http://example.org/users/me", "me"),
        ])
    func matching(target: String, expected: String) async {
        let response = await respond(.get, target)

        #expect(response.status == .ok)
        #expect(response.text == expected)
    }

    @Test(
        "A path segment is decoded once, so an identifier may hold a slash",
        arguments: [
            ("/users/a%2Fb", "user a/b"), ("/users/100%25", "user 100%"), ("/users/%252F", "user %2F"),
            ("/users/a+b", "user a+b"), ("/users/%C3%A9", "user é"), ("/users/%6De", "me"), ("/users/..", "user .."),
        ])
    func decoding(target: String, expected: String) async {
        let response = await respond(.get, target)

        #expect(response.text == expected)
    }

    @Test(
        "A target that is not well-formed is refused",
        arguments: [
            "/users/%", "/users/%2", "/users/%zz", "/users/%00", "/users/%FF", "/users/%C0%AF", "/users/a b",
            "/users/é", "/users/\u{7F}", "users/me", "", "*x", "ftp://host/", "/query?a=%", "/query?a=%00",
        ])
    func malformedTarget(target: String) async {
        let response = await respond(.get, target)

        #expect(response.status == .badRequest)
        #expect(response.text.contains("malformed_target"))
    }

    @Test("Query items keep their order, a plus is a space, and a missing value is empty")
    func query() async {
        let response = await respond(.get, "/query?b=2&a=x+y&a=%2B%26&c&=d&e=f=g")

        #expect(response.text == "b=2;a=x y;a=+&;c=;=d;e=f=g")
    }

    @Test(
        "What is not there is 404",
        arguments: ["/nothing", "/users", "/users/", "/users//orders/7", "/tree", "//", "/users/me/"])
    func notFound(target: String) async {
        let response = await respond(.get, target)

        #expect(response.status == .notFound)
        #expect(response.text == #"{"error":{"code":"not_found","message":"There is nothing here"}}"#)
    }

    @Test("Another method is 405 and says which are allowed, whatever branch they are on")
    func methodNotAllowed() async {
        let response = await respond(.put, "/users/me")

        #expect(response.status == .methodNotAllowed)
        #expect(response.headers["allow"] == "DELETE, GET, HEAD, OPTIONS")
    }

    @Test("A literal path without the method gives way to a parameter that has it")
    func fallsBack() async {
        #expect(await respond(.delete, "/users/me").status == .noContent)
    }

    @Test("A GET route answers HEAD")
    func head() async {
        #expect(await respond(.head, "/users/me").text == "me")
    }

    @Test("OPTIONS is answered with the methods, and the hook may add to it")
    func options() async {
        var hooked = Self.router
        hooked.options = { _, methods in Response(status: .ok, headers: ["X-Count": "\(methods.count)"]) }

        let plain = await respond(.options, "/users/me")
        let answer = await respond(.options, "/users/me", hooked)

        #expect(plain.status == .noContent)
        #expect(plain.headers["Allow"] == "DELETE, GET, HEAD, OPTIONS")
        #expect(answer.headers["X-Count"] == "4")
        #expect(answer.headers["Allow"] == "DELETE, GET, HEAD, OPTIONS")
        #expect(await respond(.options, "/nothing", hooked).status == .notFound)
        #expect(await respond(.options, "*").status == .noContent)
    }
}

extension Response {
    var text: String { String(decoding: body, as: UTF8.self) }
}
