import Testing

import MFADoctor
@testable import MFAServices

@Suite struct SignInProgramTests {
  typealias Ancestor = SignInProgram.Ancestor

  static func process(
    _ number: Int64, _ program: String, user: UInt32 = 0, acting: UInt32? = nil
  ) -> Ancestor {
    Ancestor(
      process: .init(number: number, start: number), program: program, user: user,
      actingUser: acting ?? user)
  }

  static let sshd = "/usr/sbin/sshd"
  static let listener = process(10, sshd)
  /// Another user's SSH sign-in: sshd's process for the user, its root process, and the listener.
  static let connection = [process(101, sshd, user: 1000), process(100, sshd), listener]
  static let shell = process(200, "/usr/bin/bash", user: 1000)
  static let rootShell = process(201, "/usr/bin/bash")

  @Test("the name of a process counts if the kernel hides its program, and if it is root's")
  func names() {
    let root: [UInt32] = [0, 0, 0, 0]
    let rows: [(String, [UInt32], String?)] = [
      ("sshd", root, Self.sshd), ("sshd-session", root, "/usr/lib/openssh/sshd-session"),
      ("gdm-session-wor", root, "/usr/libexec/gdm-session-worker"), ("bash", root, nil),
      ("login", root, "/usr/bin/login"), ("su", [1000, 0, 0, 0], "/usr/bin/su"),
      ("sudo", [1000, 0, 0, 0], "/usr/bin/sudo"), ("sudo", root, "/usr/bin/sudo"),
      // A user's own process, or a program with root's rights that the user has named.
      ("sshd", [1000, 1000, 1000, 1000], nil), ("sshd", [1000, 0, 0, 0], nil),
      ("sudo", [1000, 1000, 1000, 1000], nil), ("su", [0, 1000, 0, 1000], nil),
      ("su", [1000, 0, 1000, 0], nil), ("sshd", [], nil), ("", root, nil),
    ]
    for (name, users, program) in rows {
      #expect(SignInProgram.program(named: name, users: users) == program, "\(name) \(users)")
    }
  }

  struct Row: CustomTestStringConvertible {
    let number: Int
    let service: String
    let ancestors: [Ancestor]
    var old: [Int64] = [10]
    /// Part of the reason for a refusal, or nil for a new sign-in.
    let reason: String?
    var testDescription: String { "\(number)" }
  }

  static let sudo = process(300, "/usr/bin/sudo", user: 1000, acting: 0)
  static let sudoMonitor = process(301, "/usr/bin/sudo", user: 1000, acting: 0)

  static let rows = [
    Row(number: 1, service: "sshd", ancestors: [sudo, shell] + connection, reason: nil),
    Row(
      number: 2, service: "sshd", ancestors: [sudo, shell] + connection, old: [10, 100, 101],
      reason: "this sign-in through sshd began before the change"),
    // The connection is older, but the process for the user is new: only the key was accepted
    // before.
    Row(
      number: 3, service: "sshd", ancestors: [shell] + connection, old: [10, 100],
      reason: "began before"),
    Row(
      number: 4, service: "sshd", ancestors: [sudo, shell], reason: "not started from a sign-in"),
    Row(number: 5, service: "sshd", ancestors: [], reason: "not started from a sign-in"),
    // Root's sign-in has one sshd process, and the listener does not count.
    Row(
      number: 6, service: "sshd", ancestors: [rootShell, process(100, sshd), listener], reason: nil),
    Row(number: 7, service: "sshd", ancestors: [rootShell, listener], reason: "began before"),
    // A different program with the same name.
    Row(
      number: 8, service: "sshd", ancestors: [process(100, "/home/bob/sshd"), listener],
      reason: "began before"),
    Row(number: 9, service: "sudo", ancestors: [sudo, shell] + connection, reason: nil),
    Row(number: 10, service: "sudo", ancestors: [sudoMonitor, sudo, shell], reason: nil),
    Row(
      number: 11, service: "sudo", ancestors: [sudo, shell], old: [300], reason: "began before"),
    Row(
      number: 12, service: "sudo", ancestors: [process(300, "/usr/bin/sudo"), rootShell],
      reason: "sudo does not ask root for a code"),
    Row(
      number: 13, service: "su", ancestors: [process(300, "/usr/bin/su"), rootShell],
      reason: "su does not ask root for a code"),
    Row(
      number: 14, service: "su",
      ancestors: [rootShell, process(300, "/usr/bin/su", user: 1000, acting: 0), shell], reason: nil
    ),
    Row(
      number: 15, service: "login", ancestors: [sudo, shell, process(50, "/usr/bin/login")],
      reason: nil),
    Row(
      number: 16, service: "login", ancestors: [sudo, shell, process(50, "/usr/bin/login")],
      old: [50], reason: "began before"),
    Row(number: 17, service: "nginx", ancestors: connection, reason: "is unknown"),
  ]

  @Test("only a new sign-in through the service counts", arguments: rows)
  func obstacles(row: Row) {
    let service = Array(row.service.utf8)
    let obstacle = SignInProgram.obstacle(
      of: service, ancestors: row.ancestors,
      old: row.old.map { ServiceChange.Process(number: $0, start: $0) })
    #expect((obstacle == nil) == (row.reason == nil), "\(row.number): \(obstacle ?? "")")
    if let reason = row.reason {
      #expect(obstacle?.contains(reason) == true, "\(row.number): \(obstacle ?? "")")
    }
    #expect(SignInProgram.isKnown(service) == (row.service != "nginx"))
  }

  @Test("a reused process number is a different process")
  func reused() {
    let old = [ServiceChange.Process(number: 100, start: 5)]
    let ancestors = [Self.shell] + Self.connection
    #expect(
      SignInProgram.obstacle(of: Array("sshd".utf8), ancestors: ancestors, old: old) == nil)
  }

  @Test(
    "confirmation times",
    arguments: [
      ("5m", 300), ("1m", 60), ("24h", 86_400), ("90m", 5400), ("1s", 1), ("25h", nil), ("0m", nil),
      ("-1m", nil), ("+1m", nil), ("5", nil), ("5d", nil), ("m", nil), ("", nil),
      ("99999999999999999999m", nil), ("9223372036854775807h", nil), ("1.5m", nil),
    ] as [(String, Int64?)])
  func times(text: String, seconds: Int64?) {
    let time = ConfirmationTime(argument: text)
    #expect(time?.seconds == seconds, "\(text)")
    if let time { #expect(ConfirmationTime(argument: time.text) == time) }
  }

  @Test("the user of a sign-in is the one who started the tool, or the server's session")
  func user() {
    func ancestor(_ program: String, _ user: UInt32, _ acting: UInt32) -> SignInProgram.Ancestor {
      SignInProgram.Ancestor(
        process: ServiceChange.Process(number: 1, start: 1), program: program, user: user,
        actingUser: acting)
    }
    let sudo = Array("sudo".utf8)
    let bySudo = [ancestor("/usr/bin/sudo", 1000, 0), ancestor("/bin/bash", 1000, 1000)]
    #expect(SignInProgram.user(of: sudo, ancestors: bySudo) == 1000)
    #expect(SignInProgram.user(of: sudo, ancestors: Array(bySudo.dropFirst())) == nil)
    let bySSH =
      bySudo + [ancestor("/usr/sbin/sshd", 1001, 1001), ancestor("/usr/sbin/sshd", 0, 0)]
    #expect(SignInProgram.user(of: Array("sshd".utf8), ancestors: bySSH) == 1001)
    #expect(
      SignInProgram.user(of: Array("sshd".utf8), ancestors: [ancestor("/usr/sbin/sshd", 0, 0)])
        == nil)
  }
}
