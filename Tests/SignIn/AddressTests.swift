import SignInTestSupport
import System
import Testing

@testable import Policy
@testable import SignIn

@Suite("From where somebody signs in")
struct AddressTests {
  struct Row: CustomTestStringConvertible {
    let number: Int
    /// PAM_RHOST.
    let host: String?
    var service = "sshd"
    /// The other end of the connection.
    var peer: String?
    /// The address that counts.
    let expected: String?
    var testDescription: String { "\(number)" }
  }

  static let rows = [
    // An address is taken as it is, and the connection not looked at.
    Row(number: 1, host: "192.0.2.1", peer: "198.51.100.1", expected: "192.0.2.1"),
    Row(number: 2, host: "2001:db8::1", peer: "198.51.100.1", expected: "2001:db8::1"),
    Row(number: 3, host: "::ffff:192.0.2.1", peer: "198.51.100.1", expected: "192.0.2.1"),
    // A name, whatever it looks like.
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
    // A sign-in from nowhere: the connection is somebody else's.
    Row(number: 14, host: nil, peer: "198.51.100.1", expected: nil),
    Row(number: 15, host: "", peer: "198.51.100.1", expected: nil),
    // Other services have connections of other kinds.
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

  @Test("a numeric address, the connection's or none", arguments: rows)
  func numericAddress(row: Row) {
    let host = ScriptedHost()
    host.peerAddress = address(row.peer)?.bits
    let signIn = SignIn(request(row), host: host, application: ScriptedApplication())
    #expect(signIn.numericAddress() == address(row.expected))
  }

  /// What is not known counts as the stricter, in both directions.
  @Test("a tenant's networks are compared with it alone", arguments: rows)
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
      let verdict = SignIn(request(row), host: host, application: application).authenticate()
      let isOn = state == "enabled" || row.expected == nil
      #expect(verdict == (isOn ? .deny : .notConcerned), "\(state)")
    }
  }

  @Test("the connection is looked at only where a tenant's networks ask for it")
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
      _ = SignIn(request(row), host: host, application: application).authenticate()
      #expect(host.peerQuestions == questions, "\(configuration)")
    }
  }
}
