import Testing

@testable import MFAServiceSwitch

@Suite struct ChangedFileTests {
  static let service = Array("sshd".utf8)
  static let mark = MarkedText(service: service)
  static let old = Array("a\nb\n".utf8)
  static let new = mark.inserting(["auth requisite pam_mfa.so"], into: old, at: 2)
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
    Row(number: 1, present: old, remedy: .none),
    Row(number: 2, present: new, remedy: .write(old, isExact: true)),
    Row(number: 3, present: nil, remedy: .gone),
    Row(number: 4, present: Array("c\n".utf8), remedy: .gone),
    Row(
      number: 5, present: new + Array("c\n".utf8),
      remedy: .write(old + Array("c\n".utf8), isExact: false)),
    Row(
      number: 6, present: edited, remedy: .altered(line: 3)),
    Row(number: 7, old: nil, new: block, present: nil, remedy: .none),
    Row(number: 8, old: nil, new: block, present: block, remedy: .remove),
    Row(
      number: 9, old: nil, new: block, present: block + Array("PrintMotd no\n".utf8),
      remedy: .write(Array("PrintMotd no\n".utf8), isExact: false)),
    Row(number: 10, old: nil, new: block + block, present: block, remedy: .remove),
    Row(number: 11, old: nil, new: block, present: Array("x".utf8), remedy: .gone),
  ]

  static let edited = Array(
    String(decoding: new, as: UTF8.self).replacing("requisite", with: "optional").utf8)

  @Test(
    "before the confirmation, the old file wins over an edit between the marks, or a removed file",
    arguments: [
      Row(number: 1, present: edited, remedy: .putBack),
      Row(number: 2, present: nil, remedy: .putBack),
      Row(number: 3, old: nil, new: block, present: edited, remedy: .putBack),
      Row(number: 4, old: nil, new: block, present: nil, remedy: .none),
      Row(number: 5, present: new, remedy: .write(old, isExact: true)),
      Row(
        number: 6, present: new + Array("c\n".utf8),
        remedy: .write(old + Array("c\n".utf8), isExact: false)),
    ])
  func trial(row: Row) {
    let file = ChangedFile(
      path: "/x", old: row.old, new: row.new, permissions: 0o644, owner: 0, group: 0)
    #expect(
      file.remedy(service: Self.service, present: row.present, isTrial: true) == row.remedy)
  }

  @Test("administrators' edits are kept, and only our lines are removed", arguments: rows)
  func remedies(row: Row) {
    let file = ChangedFile(
      path: "/x", old: row.old, new: row.new, permissions: 0o644, owner: 0, group: 0)
    #expect(file.remedy(service: Self.service, present: row.present) == row.remedy, "\(row.number)")
  }
}
