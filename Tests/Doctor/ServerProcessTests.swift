import MFAAdminTestSupport
import Testing

@testable import MFADoctor

@Suite struct ServerProcessTests {
  static let sshd = PathStatus.Identity(device: 1, number: 10)
  static let host = "mnt:[1]"

  static func program(
    owner: UInt32 = 0, permissions: UInt32 = 0o755, number: UInt64 = 10,
    path: String = "/usr/sbin/sshd", isInRootsFolder: Bool = true
  ) -> ServerProcess.Program {
    var status = MemoryHost.file(owner, permissions)
    status.identity = PathStatus.Identity(device: 1, number: number)
    return ServerProcess.Program(status: status, path: path, isInRootsFolder: isInRootsFolder)
  }

  struct Row: CustomTestStringConvertible {
    let number: Int
    var title: [String] = []
    var users: [UInt32] = [0, 0, 0, 0]
    var mounts: String? = host
    var program: ServerProcess.Program? = ServerProcessTests.program()
    let expected: ServerProcess.Standing
    var testDescription: String { "\(number)" }
  }

  static let rows = [
    Row(number: 1, expected: .server),
    // Any user can choose the title of a process.
    Row(number: 2, users: [1000, 1000, 1000, 1000], expected: .other),
    // A program with the set-user-ID bit.
    Row(number: 3, users: [1000, 0, 0, 0], expected: .other),
    Row(number: 4, users: [0, 1000, 0, 1000], expected: .other),
    Row(number: 5, users: [0, 0, 1000, 0], expected: .other),
    Row(number: 6, users: [0, 0, 0, 1000], expected: .other),
    Row(number: 7, users: [], expected: .other),
    Row(number: 8, users: [0], expected: .other),
    // Another container, whose first process has the same namespace as its sshd.
    Row(number: 9, mounts: "mnt:[2]", expected: .other),
    Row(number: 10, mounts: "mnt:[3]", expected: .server),
    Row(number: 11, mounts: nil, expected: .unknown),
    Row(number: 12, program: nil, expected: .unknown),
    Row(number: 13, users: [1000, 1000, 1000, 1000], mounts: nil, program: nil, expected: .other),
    // The file was replaced by an upgrade.
    Row(
      number: 14, program: program(number: 11, path: "/usr/sbin/sshd (deleted)"),
      expected: .server),
    // Another sshd that only root can have installed.
    Row(number: 15, program: program(number: 11, path: "/opt/ssh/sbin/sshd"), expected: .server),
    Row(number: 16, program: program(number: 11, path: "/usr/bin/sleep"), expected: .other),
    Row(number: 17, program: program(owner: 1000, number: 11), expected: .other),
    Row(number: 18, program: program(permissions: 0o775, number: 11), expected: .other),
    // A hard link of a program of root in a user's folder.
    Row(
      number: 19,
      program: program(number: 11, path: "/home/alice/sshd", isInRootsFolder: false),
      expected: .other),
    // A copy of sshd under another name, which root alone can have made; not one that runs as root for any user.
    Row(
      number: 20, title: ["sshd2:", "/usr/sbin/sshd2", "-D"],
      program: program(number: 11, path: "/usr/sbin/sshd2"), expected: .server),
    Row(
      number: 21, title: ["sudo:", "/usr/bin/sudo", "-D"],
      program: program(permissions: 0o4755, number: 11, path: "/usr/bin/sudo"), expected: .other),
    Row(
      number: 22, title: ["sshd:", "/usr/sbin/sshd", "-D"],
      program: program(number: 11, path: "/usr/bin/sleep"), expected: .other),
  ]

  @Test("a title counts only if root alone can have chosen it", arguments: rows)
  func standing(row: Row) {
    let process = ServerProcess(
      number: 2, title: row.title, users: row.users, mounts: row.mounts, program: row.program)
    #expect(
      process.standing(programs: [Self.sshd], hostMounts: [Self.host, "mnt:[3]"]) == row.expected)
  }

  @Test("the uids of a process are all four of the line, or none")
  func users() {
    let rows: [(String, [UInt32])] = [
      ("Name:\tx\nUid:\t0\t1\t2\t3\nGid:\t9\t9\t9\t9\n", [0, 1, 2, 3]),
      ("Name:\tUid:\nUid:\t7\t7\t7\t7\n", [7, 7, 7, 7]),
      ("Uid:\t0\t-1\t0\t0\n", []), ("Uid:\n", []), ("", []),
    ]
    for (text, expected) in rows { #expect(ServerProcess.users(inStatus: text) == expected) }
  }
}
