import Foundation
import Testing

/// A document of a protocol in Sources, whose tables are compared with the program.
package struct ProtocolDocument: Sendable {
  /// The text, or what prevented reading it.
  package let text: String

  /// Reads a document. The path is the one below Sources.
  package init(_ path: String) {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources/" + path)
    do { text = try String(contentsOf: file, encoding: .utf8) } catch { text = "\(error)" }
  }

  /// Returns the rows of the only table with these columns.
  package func rows(_ columns: [String]) throws -> [[String]] {
    let heading = "\n| " + columns.joined(separator: " | ") + " |\n"
    let parts = text.components(separatedBy: heading)
    try #require(parts.count == 2, "\(columns)")
    return parts[1].split(separator: "\n", omittingEmptySubsequences: false).dropFirst()
      .prefix { $0.hasPrefix("|") }.map { row in
        row.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false).map {
          $0.trimmingCharacters(in: .whitespaces)
        }
      }
  }
}
