internal import Crypto
package import HTTP
internal import JSON

/// `GET /openapi.json`: the description of every public route, made once. Any page may read it.
package struct ShowDocument: RouteHandler {
    package init() {}

    package func handle(_ request: Request) throws -> Response {
        let whole = try Self.whole.get()
        guard request.headers["If-None-Match"] == whole.headers["ETag"] else { return whole }
        var unchanged = whole
        unchanged.status = .notModified
        return unchanged
    }

    private static let whole = Result {
        let text = try JSONCoding.encode(OpenAPIDocument.value)
        var response = Response.json(bytes: text)
        response.headers["ETag"] = "\"\(Digest.sha256(text).hexadecimal.prefix(32))\""
        response.headers["Cache-Control"] = "public, max-age=300"
        response.headers["Access-Control-Allow-Origin"] = "*"
        return response
    }
}
