import Testing

@testable import MFAServices

@Suite struct ChangedFileTests {
  static let service = Array("sshd".utf8)
  static let mark = MarkedText(service: service)
  static let old = Array("a\nb\n".utf8)
  static let new = mark.inserting(["auth requisite pam_mfa.so after_password"], into: old, at: 2)
  static let block = mark.block(["UsePAM yes"])

  struct Row: CustomTestStringConvertible {
    let number: Int
    var old: [UInt8]? = ChangedFileTests.old
    var new = ChangedFileTests.new
    let present: [UInt8]?
    let remedy: ChangedFile.Restoration
    var testDescription: String { "\(number)" }
  }

  static let rows = [
    Row(number: 1, present: old, remedy: .unchanged),
    Row(number: 2, present: new, remedy: .write(old, isExact: true)),
    Row(number: 3, present: nil, remedy: .gone),
    Row(number: 4, present: Array("c\n".utf8), remedy: .gone),
    Row(
      number: 5, present: new + Array("c\n".utf8),
      remedy: .write(old + Array("c\n".utf8), isExact: false)),
    Row(
      number: 6, present: edited, remedy: .writeKeeping(old, editedLine: 3)),
    Row(number: 7, old: nil, new: block, present: nil, remedy: .unchanged),
    Row(number: 8, old: nil, new: block, present: block, remedy: .remove),
    Row(
      number: 9, old: nil, new: block, present: block + Array("PrintMotd no\n".utf8),
      remedy: .write(Array("PrintMotd no\n".utf8), isExact: false)),
    Row(number: 10, old: nil, new: block + block, present: block, remedy: .remove),
    Row(
      number: 12, old: nil, new: block,
      present: Array(String(decoding: block, as: UTF8.self).replacing("yes", with: "no").utf8),
      remedy: .putBack),
    // The old file has marks whose line an administrator took out before the service was enabled again.
    Row(
      number: 13, old: old + mark.block([]), present: new, remedy: .write(old, isExact: true)),
    Row(number: 11, old: nil, new: block, present: Array("x".utf8), remedy: .gone),
  ]

  static let edited = Array(
    String(decoding: new, as: UTF8.self).replacing("requisite", with: "optional").utf8)

  static let withoutMarks = Array("a\nauth requisite pam_mfa.so after_password\nb\n".utf8)

  struct TrialRow: CustomTestStringConvertible, Sendable {
    let number: Int
    var old: [UInt8]? = ChangedFileTests.old
    var new = ChangedFileTests.new
    let present: PresentFile
    let remedy: ChangedFile.Restoration
    var testDescription: String { "\(number)" }
  }

  /// A regular file at the path of the changed file.
  static func file(
    _ contents: [UInt8], permissions: UInt32 = 0o644, group: UInt32 = 0, isTrusted: Bool = true
  ) -> PresentFile {
    .regular(
      SystemFile(contents: contents, permissions: permissions, group: group), isTrusted: isTrusted)
  }

  static let back = ChangedFile.Restoration.write(old, isExact: true)

  @Test(
    "before the confirmation, the old file wins over every edit, and over a removed file",
    arguments: [
      TrialRow(number: 1, present: file(edited), remedy: .putBack),
      TrialRow(number: 2, present: .absent, remedy: .putBack),
      TrialRow(number: 3, old: nil, new: block, present: file(edited), remedy: .putBack),
      TrialRow(number: 4, old: nil, new: block, present: .absent, remedy: .unchanged),
      TrialRow(number: 5, present: file(new), remedy: back),
      TrialRow(number: 6, present: file(new + Array("c\n".utf8)), remedy: .putBack),
      TrialRow(number: 7, present: file(withoutMarks), remedy: .putBack),
      TrialRow(number: 8, present: file(Array("c\n".utf8)), remedy: .putBack),
      TrialRow(number: 9, old: nil, new: block, present: file(withoutMarks), remedy: .putBack),
      TrialRow(number: 10, present: file(old), remedy: .unchanged),
      // The owner, the permissions and the group are restored too.
      TrialRow(number: 11, present: file(old, isTrusted: false), remedy: back),
      TrialRow(number: 12, present: file(old, permissions: 0o600), remedy: back),
      TrialRow(number: 13, present: file(old, group: 7), remedy: back),
      TrialRow(number: 14, present: file(new, isTrusted: false), remedy: back),
      TrialRow(
        number: 15, old: nil, new: block, present: file(block, isTrusted: false), remedy: .remove),
      // A symbolic link, for example.
      TrialRow(number: 16, present: .other, remedy: .putBack),
      TrialRow(number: 17, old: nil, new: block, present: .other, remedy: .putBack),
    ])
  func trial(row: TrialRow) {
    let file = ChangedFile(
      path: "/x", old: row.old, new: row.new, permissions: 0o644, owner: 0, group: 0)
    #expect(
      file.remedy(service: Self.service, present: row.present, isTrial: true) == row.remedy)
  }

  @Test("administrators' edits are kept, and only our lines are removed", arguments: rows)
  func remedies(row: Row) {
    let file = ChangedFile(
      path: "/x", old: row.old, new: row.new, permissions: 0o644, owner: 0, group: 0)
    let present = row.present.map { Self.file($0) } ?? .absent
    #expect(file.remedy(service: Self.service, present: present) == row.remedy, "\(row.number)")
  }
}
