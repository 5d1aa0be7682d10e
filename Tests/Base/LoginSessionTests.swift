import MFABase
import Testing

@Suite("The client of the user's session")
struct LoginSessionTests {
  private static let description = """
    # This is private data. Do not parse.
    UID=1000
    USER=alice
    ACTIVE=1
    REMOTE=1
    REMOTE_HOST=192.0.2.7
    SERVICE=sshd

    """

  @Test(
    "the remote host of the user's own session is found",
    arguments: [
      (1, Self.description, 1000, "192.0.2.7"), (2, Self.description, 1001, nil),
      (3, "UID=1000\nREMOTE=0\n", 1000, nil), (4, "UID=1000\nREMOTE_HOST=\n", 1000, nil),
      (5, "REMOTE_HOST=192.0.2.7\n", 1000, nil), (6, "", 1000, nil),
    ] as [(Int, String, UInt32, String?)])
  func remoteHost(row: Int, description: String, user: UInt32, host: String?) {
    let found = LoginSession.remoteHost(in: Array(description.utf8), of: user)
    #expect(found == host.map { Array($0.utf8) }, "row \(row)")
  }
}
