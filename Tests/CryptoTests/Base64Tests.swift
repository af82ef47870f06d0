import Crypto
import Foundation
import Testing

@Suite("Base64")
struct Base64Tests {
    @Test(
        "Texts are written as RFC 4648 § 10 has them, and read back",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ])
    func published(bytes: String, text: String) {
        let unpadded = text.replacingOccurrences(of: "=", with: "")

        #expect(Base64.standard.encode(bytes.utf8) == text)
        #expect(Base64.url.encode(bytes.utf8) == unpadded)
        #expect(Base64.standard.decode(text.utf8) == Array(bytes.utf8))
        #expect(Base64.url.decode(unpadded.utf8) == Array(bytes.utf8))
    }

    @Test("The last two characters differ between the alphabets")
    func alphabets() {
        #expect(Base64.standard.encode([0xFB, 0xFF]) == "+/8=")
        #expect(Base64.url.encode([0xFB, 0xFF]) == "-_8")
        #expect(Base64.url.decode("+/8".utf8) == nil)
        #expect(Base64.standard.decode("-_8=".utf8) == nil)
    }

    @Test(
        "A second spelling of the same bytes is refused",
        arguments: [
            "Zh==", "Zm9=", "Zg", "Zg=", "Zg===", "Z g==", "Zg==\n", "====", "=", "Zg==Zg==", "Z===", "é===", "Zm9v\0",
        ])
    func strictStandard(text: String) {
        #expect(Base64.standard.decode(text.utf8) == nil)
    }

    @Test("The same goes for the alphabet of URLs", arguments: ["Zg==", "Zh", "Zm9", "Z", "Zm9vY", " Zg", "Zg\n"])
    func strictURL(text: String) {
        #expect(Base64.url.decode(text.utf8) == nil)
    }

    @Test("Bytes of every length come back, and Foundation writes the same", arguments: [1, 2] as [UInt64])
    func roundTrip(seed: UInt64) {
        for count in 0..<200 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: UInt64($0) &* 31 &+ seed &* 97) }

            let text = Base64.standard.encode(bytes)

            #expect(text == Data(bytes).base64EncodedString(), "seed \(seed)")
            #expect(Base64.standard.decode(text.utf8) == bytes)
            #expect(Base64.url.decode(Base64.url.encode(bytes).utf8) == bytes)
        }
    }
}
