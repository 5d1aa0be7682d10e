import MFABase
import Testing

@testable import MFAAdmin
@testable import MFADoctor

@Suite struct AuthorizedKeysFilesTests {
  static let rows: [(value: String?, paths: [String])] = [
    (nil, ["/home/alice/.ssh/authorized_keys", "/home/alice/.ssh/authorized_keys2"]),
    (".ssh/authorized_keys", ["/home/alice/.ssh/authorized_keys"]),
    ("%h/keys /etc/ssh/keys/%u", ["/home/alice/keys", "/etc/ssh/keys/alice"]),
    ("/k/%U/%%u/%x", ["/k/1000/%u/x"]),
    ("none", []),
  ]

  @Test("the files with keys are found as sshd finds them", arguments: rows.indices)
  func paths(row: Int) {
    let (value, paths) = Self.rows[row]
    let account = KnownAccount(
      account: Account(name: Array("alice".utf8), uid: 1000), shell: Array("/bin/sh".utf8),
      home: Array("/home/alice".utf8))
    let settings = value.map { SSHDSettings(Array("authorizedkeysfile \($0)\n".utf8)) }
    let found = AuthorizedKeysFiles(settings).paths(of: account)
    #expect(found.map { String(decoding: $0, as: UTF8.self) } == paths, "\(row)")
  }
}
