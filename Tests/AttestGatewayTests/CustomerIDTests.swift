import AttestGateway
import Messages
import Testing

@Suite("The id of a customer")
struct CustomerIDTests {
    @Test(
        "It is the UUIDv5 that anybody can compute",
        arguments: [
            // Python: uuid.uuid5(uuid.UUID("6f2c1d84-93b7-4e5a-8c0d-51a7e2f4b960"), "acme/user_42")
            ("user_42", "3c446a41-fffa-56f4-ab11-e275212260d2"),
            ("$anon_é", "a428f29e-b5b2-50c7-be43-0fab105c12ee"),
        ])
    func known(user: AppUserID, expected: String) {
        #expect(CustomerID("acme", user).rawValue == expected)
    }

    @Test("Another organisation's user of the same name is another customer")
    func organisations() {
        #expect(CustomerID("acme", "user_42") != CustomerID("umbrella", "user_42"))
    }
}
