import Foundation

/// The examples of the guides, so that tests use exactly what the documents show.
package enum Guide {
  /// Returns the fenced blocks under a heading, in order, as lists of lines.
  package static func blocks(
    under heading: String, in page: String = "packaging/doc/administration.md"
  ) throws(HarnessFailure) -> [[String]] {
    let path = Checkout.folder + "/" + page
    guard let data = FileManager.default.contents(atPath: path) else {
      throw HarnessFailure("\(path) cannot be read")
    }
    var blocks: [[String]] = []
    var isUnder = false
    var block: [String]?
    for line in String(decoding: data, as: UTF8.self).components(separatedBy: "\n") {
      if let lines = block {
        if line.hasPrefix("```") {
          blocks.append(lines)
          block = nil
        } else {
          block = lines + [line]
        }
      } else if line.hasPrefix("#") {
        isUnder = line.drop { $0 == "#" }.dropFirst() == heading
      } else if isUnder, line.hasPrefix("```") {
        block = []
      }
    }
    guard !blocks.isEmpty else { throw HarnessFailure("\(page) has no block under \(heading)") }
    return blocks
  }
}

extension Machine {
  /// Replaces `@include common-auth` in Debian's service file by the given lines.
  package func changeService(_ name: String, authentication lines: [String]) throws(HarnessFailure)
  {
    let text = String(decoding: contents(of: "/etc/pam.d/" + name) ?? [], as: UTF8.self)
    let before = text.components(separatedBy: "\n")
    guard before.contains("@include common-auth") else {
      throw HarnessFailure("/etc/pam.d/\(name) does not include common-auth")
    }
    try writeService(name, before.flatMap { $0 == "@include common-auth" ? lines : [$0] })
  }
}
