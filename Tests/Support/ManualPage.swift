import Foundation

/// The examples of a man page, so that tests run exactly the commands that the page shows.
package struct ManualPage {
  private let name: String
  private let lines: [String]

  /// Reads a man page in packaging/man.
  package init(_ name: String) throws(HarnessFailure) {
    let path = Checkout.folder + "/packaging/man/" + name
    guard let data = FileManager.default.contents(atPath: path) else {
      throw HarnessFailure("\(path) cannot be read")
    }
    self.name = name
    lines = String(decoding: data, as: UTF8.self).components(separatedBy: "\n")
  }

  /// Returns the examples under the section or subsection with this heading, in order, as lists of
  /// lines.
  package func examples(under heading: String) throws(HarnessFailure) -> [[String]] {
    var examples: [[String]] = []
    var example: [String]?
    var isUnder = false
    for line in lines {
      if line.hasPrefix(".SH ") || line.hasPrefix(".SS ") {
        isUnder = line.dropFirst(4) == heading
      } else if line == ".EX" {
        example = isUnder ? [] : nil
      } else if line == ".EE" {
        if let example { examples.append(example) }
        example = nil
      } else {
        example?.append(Self.text(of: line))
      }
    }
    guard !examples.isEmpty else { throw HarnessFailure("\(name) has no example under \(heading)") }
    return examples
  }

  /// Replaces the escape sequences that examples use.
  private static func text(of line: String) -> String {
    [("\\(aq", "'"), ("\\(dq", "\""), ("\\-", "-"), ("\\&", ""), ("\\e", "\\")]
      .reduce(line) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
  }
}
