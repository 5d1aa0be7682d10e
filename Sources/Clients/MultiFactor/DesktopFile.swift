import FoundationEssentials

/// A file in the form of desktop files: groups of keys with values.
struct DesktopFile {
  /// The values of each key, by the names of the group and the key.
  private var groups: [String: [String: [String]]] = [:]

  /// Whether the file is missing, unreadable or without keys.
  var isEmpty: Bool { groups.isEmpty }

  /// Reads a file. A file that cannot be read is like one without keys.
  init(_ path: String) {
    let text: String
    do {
      text = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
    } catch {
      return
    }
    var group = ""
    for line in text.split(separator: "\n") {
      if line.hasPrefix("["), let end = line.firstIndex(of: "]") {
        group = String(line[line.index(after: line.startIndex)..<end])
      } else if !line.hasPrefix("#"), let equals = line.firstIndex(of: "=") {
        let values = line[line.index(after: equals)...].split(separator: ";").map {
          String($0.trimmed)
        }
        groups[group, default: [:]][String(line[..<equals].trimmed)] = values
      }
    }
  }

  /// Returns the values of a key, which semicolons separate in the file.
  func values(of key: String, in group: String) -> [String] { groups[group]?[key] ?? [] }
}

extension Substring {
  /// The text without white space at either end.
  fileprivate var trimmed: Substring {
    let start = drop { $0.isWhitespace }
    guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return start[...end]
  }
}
