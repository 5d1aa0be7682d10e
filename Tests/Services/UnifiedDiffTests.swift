import MFAAdminTestSupport
import Foundation
import MFATestSupport
import Testing

@testable import MFAServices

@Suite struct UnifiedDiffTests {
  struct Row: CustomTestStringConvertible {
    let number: Int
    let old: String?
    let new: String?
    var testDescription: String { "\(number)" }
  }

  static let letters = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\nm\nn\no\n"

  /// A text whose changes are far from its start and end.
  static let long = (1...5000).map { "\($0)\n" }.joined()

  static let rows = [
    Row(number: 1, old: "a\n", new: "a\nb\n"), Row(number: 2, old: "a\n", new: "b\na\n"),
    Row(number: 3, old: nil, new: "a\nb\n"), Row(number: 4, old: "a\nb\n", new: nil),
    Row(number: 5, old: "a", new: "a\n"), Row(number: 6, old: "a\nb", new: "a\nc"),
    Row(number: 7, old: letters, new: "0\n" + letters + "p\n"),
    Row(number: 8, old: letters, new: letters.replacing("c\n", with: "").replacing("m", with: "M")),
    Row(number: 9, old: letters, new: letters.replacing("g\n", with: "g\nx\ny\n")),
    Row(number: 10, old: "a\nb\nc\na\nb\nb\na\n", new: "c\nb\na\nb\na\nc\n"),
    Row(number: 11, old: letters, new: "x\n"),
    Row(
      number: 12, old: letters, new: letters.replacing("d\n", with: "").replacing("k\n", with: "")),
    Row(number: 13, old: long, new: long.replacing("\n2500\n", with: "\nx\n")),
    Row(number: 14, old: long, new: "x\n" + long), Row(number: 15, old: long, new: long + "x\n"),
    Row(number: 16, old: letters, new: letters + "p\nq\n"),
    Row(number: 17, old: letters, new: String(letters.dropLast())),
    Row(number: 18, old: String(letters.dropLast()), new: letters + "p"),
    // Two hunks: seven unchanged lines between the changes. One hunk: six.
    Row(number: 19, old: letters, new: letters.replacing("c", with: "C").replacing("k", with: "K")),
    Row(number: 20, old: letters, new: letters.replacing("c", with: "C").replacing("j", with: "J")),
    Row(number: 21, old: "a\nb\n", new: "c\nd\n"),
  ]

  @Test("the output equals diff -u, except for the headings", arguments: rows)
  func asDiff(row: Row) throws {
    let folder =
      NSTemporaryDirectory() + "mfa-diff-\(ProcessInfo.processInfo.processIdentifier)-\(row.number)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { _ = Result { try FileManager.default.removeItem(atPath: folder) } }
    var paths: [String] = []
    for (name, text) in [("old", row.old), ("new", row.new)] {
      guard let text else {
        paths.append("/dev/null")
        continue
      }
      try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/" + name))
      paths.append(folder + "/" + name)
    }
    let printed = try Command.run(["/usr/bin/diff", "-u"] + paths).text
    let diff = UnifiedDiff.text(
      path: "/x", old: row.old.map { Array($0.utf8) }, new: row.new.map { Array($0.utf8) })
    #expect(Self.hunks(diff) == Self.hunks(printed))
    let names = [row.old, row.new].map { $0 == nil ? "/dev/null" : "/x" }
    #expect(diff.hasPrefix("--- \(names[0])\n+++ \(names[1])\n@@"))
  }

  /// Returns the lines after the headings. `diff` omits a count of 1.
  static func hunks(_ text: String) -> [String] {
    text.split(separator: "\n").dropFirst(2).map { line in
      guard line.hasPrefix("@@") else { return String(line) }
      return line.split(separator: " ").map { word in
        (word.hasPrefix("-") || word.hasPrefix("+")) && !word.contains(",") ? word + ",1" : word
      }.joined(separator: " ")
    }
  }

  @Test("equal files give no output, and control characters are escaped")
  func harmless() {
    #expect(UnifiedDiff.text(path: "/x", old: [0x61], new: [0x61]).isEmpty)
    #expect(UnifiedDiff.text(path: "/x", old: nil, new: nil).isEmpty)
    let letters = Array(Self.letters.utf8)
    #expect(UnifiedDiff.text(path: "/x", old: letters, new: letters).isEmpty)
    let hostile = Array("a\u{1b}[2J\n".utf8)
    #expect(isHarmless(UnifiedDiff.text(path: "/x", old: nil, new: hostile)))
  }
}
