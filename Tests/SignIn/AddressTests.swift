import MFAWire
@testable import MFAModel
@testable import MFASignIn
import MFASignInTestSupport
import MFABase
import Testing

@Suite("The client's address")
struct AddressTests {
  struct Row: CustomTestStringConvertible {
    let number: Int
    /// PAM_RHOST.
    let host: String?
    var service = "sshd"
    /// The peer address of the connection.
    var peer: String?
    /// The address used for the sign-in.
    let expected: String?
    var testDescription: String { "\(number)" }
  }

  static let rows = [
    // A numeric address is used as given, and the connection is not examined.
    Row(number: 1, host: "192.0.2.1", peer: "198.51.100.1", expected: "192.0.2.1"),
    Row(number: 2, host: "2001:db8::1", peer: "198.51.100.1", expected: "2001:db8::1"),
    Row(number: 3, host: "::ffff:192.0.2.1", peer: "198.51.100.1", expected: "192.0.2.1"),
    // A name, even if it resembles an address.
    Row(number: 4, host: "host.example", peer: "198.51.100.1", expected: "198.51.100.1"),
    Row(number: 5, host: "192.0.2.1.example", peer: "198.51.100.1", expected: "198.51.100.1"),
    Row(number: 6, host: "192.0.2.1.", peer: "198.51.100.1", expected: "198.51.100.1"),
    Row(number: 7, host: "192.0.2.01", peer: "2001:db8::2", expected: "2001:db8::2"),
    Row(number: 8, host: "192.513", peer: "2001:db8::2", expected: "2001:db8::2"),
    Row(number: 9, host: "0xC0000201", peer: "2001:db8::2", expected: "2001:db8::2"),
    Row(number: 10, host: "fe80::1%eth0", peer: "fe80::1", expected: "fe80::1"),
    Row(number: 11, host: "UNKNOWN", peer: "::ffff:192.0.2.9", expected: "192.0.2.9"),
    // No connection, or several.
    Row(number: 12, host: "host.example", expected: nil),
    Row(number: 13, host: "192.0.2.1.example", expected: nil),
    // Without PAM_RHOST, the connection belongs to a different client.
    Row(number: 14, host: nil, peer: "198.51.100.1", expected: nil),
    Row(number: 15, host: "", peer: "198.51.100.1", expected: nil),
    // Other services have other kinds of connections.
    Row(number: 16, host: "host.example", service: "login", peer: "198.51.100.1", expected: nil),
    Row(number: 17, host: "host.example", service: "sshd2", peer: "198.51.100.1", expected: nil),
    Row(number: 18, host: "192.0.2.1", service: "login", expected: "192.0.2.1"),
  ]

  private func address(_ text: String?) -> IPAddress? {
    text.flatMap { IPAddress(Array($0.utf8).span) }
  }

  private func request(_ row: Row) -> SignInRequest {
    SignInRequest(
      user: Array("alice".utf8), service: Array(row.service.utf8),
      remoteHost: row.host.map { Array($0.utf8) })
  }

  @Test("the address is a numeric PAM_RHOST, the peer address, or unknown", arguments: rows)
  func numericAddress(row: Row) throws {
    let host = ScriptedHost()
    host.peerAddress = address(row.peer)?.bits
    let signIn = SignInRun(request(row), host: host, application: ScriptedApplication())
    #expect(try signIn.prepared().numericAddress() == address(row.expected))
  }

  /// If the address is unknown, the stricter state applies, whichever that is.
  @Test("a tenant's networks are compared only with this address", arguments: rows)
  func tenants(row: Row) throws {
    for state in ["disabled", "enabled"] {
      let host = ScriptedHost()
      host.peerAddress = address(row.peer)?.bits
      let network = row.expected.map { $0 + ($0.contains(":") ? "/128" : "/32") } ?? "::/0"
      host.configuration = """
        [project]
        state = \(state == "disabled" ? "enabled" : "disabled")
        [tenant here]
        networks = \(network)
        state = \(state)

        """
      let known = try #require(host.account)
      _ = try host.memory.enroll("Phone", secret: KnownFactor.secret, for: known)
      let application = ScriptedApplication([.text("")])
      let verdict = SignInRun(request(row), host: host, application: application).authenticate()
      let isOn = state == "enabled" || row.expected == nil
      #expect(verdict == (isOn ? .deny : .pass), "\(state)")
    }
  }

  @Test("the connection is examined only if a tenant has networks")
  func onlyWhereItMatters() {
    let named = Row(number: 0, host: "host.example", peer: "192.0.2.1", expected: nil)
    let numeric = Row(number: 0, host: "192.0.2.1", expected: nil)
    let networks = "[tenant here]\nnetworks = 192.0.2.0/24\nstate = enabled\n"
    for (configuration, row, questions) in [
      ("", named, 0), ("[tenant here]\nservices = sshd\n", named, 0), (networks, numeric, 0),
      (networks, named, 1),
    ] {
      let host = ScriptedHost()
      host.configuration = "[project]\n" + configuration
      let application = ScriptedApplication([.text("")])
      _ = SignInRun(request(row), host: host, application: application).authenticate()
      #expect(host.factQuestions == questions, "\(configuration)")
    }
  }
}
