import Testing

@testable import MFAAdmin

@Suite struct ReadingObstacleTests {
  /// The folders and the file, each with an owner, a group and permissions.
  struct Row: CustomTestStringConvertible {
    let number: Int
    var etc: (UInt32, UInt32, UInt32) = (0, 0, 0o755)
    var folder: (UInt32, UInt32, UInt32) = (0, 0, 0o755)
    var file: (UInt32, UInt32, UInt32) = (0, 0, 0o644)
    let remedy: String?
    var testDescription: String { "\(number)" }
  }

  static let file = "/etc/mfa/mfa.conf"
  static let mended = "chgrp mfa \(file) && chmod g+r \(file)"

  static let rows = [
    Row(number: 1, remedy: nil),
    // What tee and an umask of 027 make.
    Row(number: 2, file: (0, 0, 0o640), remedy: mended),
    Row(number: 3, file: (0, 998, 0o640), remedy: nil),
    Row(number: 4, file: (0, 998, 0o604), remedy: mended),
    Row(number: 5, file: (999, 0, 0o400), remedy: nil),
    Row(number: 6, file: (999, 998, 0o044), remedy: mended),
    Row(number: 7, file: (0, 0, 0o600), remedy: mended),
    // The folder must be opened, and those above it searched.
    Row(number: 8, folder: (0, 0, 0o711), remedy: "chgrp mfa /etc/mfa && chmod g+rx /etc/mfa"),
    Row(number: 9, folder: (0, 998, 0o750), remedy: nil),
    Row(
      number: 10, folder: (0, 0, 0o750), file: (0, 0, 0o640),
      remedy: "chgrp mfa /etc/mfa && chmod g+rx /etc/mfa"),
    Row(number: 11, etc: (0, 0, 0o711), remedy: nil),
    Row(number: 12, etc: (0, 0, 0o750), remedy: "chmod a+x /etc"),
  ]

  @Test("what keeps the deciding user from reading a file, and how to mend it", arguments: rows)
  func row(row: Row) {
    let paths = ["/etc", "/etc/mfa", Self.file]
    let steps = zip(paths, [row.etc, row.folder, row.file]).map { path, status in
      ReadingObstacle.Step(
        path: path, isFolder: path != Self.file, owner: status.0, group: status.1,
        permissions: status.2)
    }
    let root = ReadingObstacle.Step(
      path: "/", isFolder: true, owner: 0, group: 0, permissions: 0o755)
    #expect(ReadingObstacle([root] + steps, for: 999, group: 998)?.remedy == row.remedy)
  }
}
