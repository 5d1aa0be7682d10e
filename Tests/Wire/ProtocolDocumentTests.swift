import Foundation
import MFAWire
import Testing

/// Compares PROTOCOL.md with the program.
@Suite("The document of the resident protocol")
struct ProtocolDocumentTests {
  private static let text: String = {
    let path = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Sources/Wire/Wire/SERVICE.md")
    do { return try String(contentsOf: path, encoding: .utf8) } catch { return "\(error)" }
  }()

  /// The rows of the table of deadlines.
  private static var rows: [[String]] {
    guard let section = text.components(separatedBy: "\n## Deadlines\n").dropFirst().first else {
      return []
    }
    let part = section.components(separatedBy: "\n## ")[0]
    return part.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst().map { row in
      row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
  }

  @Test("the table of deadlines has the deadlines of the program")
  func deadlines() {
    typealias Deadline = ProtocolDeadline
    #expect(
      Self.rows == [
        ["module", "the first message of the service in a sign-in", "\(Deadline.first)"],
        ["module", "a later message", "\(Deadline.later)"],
        ["helper", "the first message of the service", "\(Deadline.first)"],
        ["helper", "a later message", "\(Deadline.later)"],
        ["service", "`start` or `manage`", "\(Deadline.start)"],
        ["service", "the reply to `ask` with the number 0", "\(Deadline.answer)"],
        ["service", "the reply to another `ask`", "0 or \(Deadline.hold)"],
        ["service", "the reply to `earlierAnswer`, a fact", "\(Deadline.fact)"],
        [
          "service", "a request of the helper's client",
          "the seconds of `readClient` (at most 3,600) and \(Deadline.fact)",
        ],
        ["service", "`proven`", Deadline.proof == 1200 ? "1,200" : "\(Deadline.proof)"],
      ])
    #expect(Deadline.client == 3600)
  }
}
