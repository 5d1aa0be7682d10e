import MFARealm

/// The configuration of a relay or a verifier: sections with keys, as in mfa.conf(5).
///
/// MUST 1: an unknown, repeated or missing key, and a value out of range, are errors that name the line.
/// (`RealmConfigurationTests`)
package struct RealmConfiguration: Sendable {
  /// The keys of a section.
  package struct Section: Sendable {
    /// The name, without brackets.
    package let name: String
    /// The keys that the section must have.
    package let required: Set<String>
    /// The keys that the section may have.
    package let optional: Set<String>

    /// Creates a section.
    package init(_ name: String, required: Set<String>, optional: Set<String> = []) {
      self.name = name
      self.required = required
      self.optional = optional
    }
  }

  private struct Value {
    let text: String
    let line: Int
  }

  private let path: String
  private let section: String
  private let values: [String: Value]

  /// Reads one section of a file. Other sections are those of the other programs that share the file.
  package init(
    _ text: String, path: String, section: Section, others: [Section]
  ) throws(RealmError) {
    self.path = path
    self.section = section.name
    var present: Section?
    var seen: Set<String> = []
    var values: [String: [String: Value]] = [:]
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let number = index + 1
      let line = Self.trimmed(line)
      guard !line.isEmpty, !line.hasPrefix("#") else { continue }
      if line.hasPrefix("[") {
        let found = ([section] + others).first { "[\($0.name)]" == line }
        guard let found else { throw Self.error(path, number, "unknown section \(line)") }
        guard seen.insert(found.name).inserted else {
          throw Self.error(path, number, "a second section \(line)")
        }
        present = found
        continue
      }
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, let present else {
        throw Self.error(path, number, "neither a section nor a key with a value")
      }
      let (key, value) = (Self.trimmed(parts[0]), Self.trimmed(parts[1]))
      guard present.required.contains(key) || present.optional.contains(key) else {
        throw Self.error(path, number, "unknown key \(key) in [\(present.name)]")
      }
      guard !value.isEmpty else { throw Self.error(path, number, "\(key) has no value") }
      guard values[present.name]?[key] == nil else {
        throw Self.error(path, number, "\(key) is set twice")
      }
      values[present.name, default: [:]][key] = Value(text: value, line: number)
    }
    self.values = values[section.name] ?? [:]
    for key in section.required.sorted() where self.values[key] == nil {
      throw error(about: key, "[\(section.name)] has no \(key)")
    }
  }

  /// Returns the value of a key, or nil if it is not set.
  package func text(_ key: String) -> String? { values[key]?.text }

  /// Returns the value of a required key.
  package func required(_ key: String) throws(RealmError) -> String {
    guard let value = values[key] else {
      throw error(about: key, "[\(section)] has no \(key)")
    }
    return value.text
  }

  /// Returns the whole number of a key, or nil if it is not set.
  package func number(_ key: String, in range: ClosedRange<Int>) throws(RealmError) -> Int? {
    guard let value = values[key] else { return nil }
    guard let number = Int(value.text), range.contains(number) else {
      throw error(
        about: key, "\(key) is not a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// Returns the network address of a key, or nil if it is not set.
  package func address(_ key: String) throws(RealmError) -> RealmAddress? {
    guard let value = values[key] else { return nil }
    guard let address = RealmAddress(value.text) else { throw addressError(key) }
    return address
  }

  /// Returns the network addresses of a key, which are separated by commas.
  package func addresses(_ key: String) throws(RealmError) -> [RealmAddress] {
    guard let value = values[key] else { return [] }
    var addresses: [RealmAddress] = []
    for part in value.text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let address = RealmAddress(Self.trimmed(part)), !addresses.contains(address) else {
        throw addressError(key)
      }
      addresses.append(address)
    }
    return addresses
  }

  /// Returns an error that names the file, and the line with the key if it is set.
  package func error(about key: String, _ text: String, hint: String = manual) -> RealmError {
    guard let line = values[key]?.line else { return RealmError("\(path): \(text)", hint: hint) }
    return Self.error(path, line, text, hint: hint)
  }

  private func addressError(_ key: String) -> RealmError {
    error(about: key, "\(key) is not HOST:PORT, or has an address twice")
  }

  private static func error(
    _ path: String, _ line: Int, _ text: String, hint: String = manual
  ) -> RealmError {
    RealmError("\(path):\(line): \(text)", hint: hint)
  }

  /// The hint of errors about the file.
  package static var manual: String { "see mfa-fleet.conf(5)" }

  private static func trimmed(_ text: some StringProtocol) -> String {
    var rest = Substring(text)
    while let first = rest.first, first == " " || first == "\t" || first == "\r" {
      rest.removeFirst()
    }
    while let last = rest.last, last == " " || last == "\t" || last == "\r" { rest.removeLast() }
    return String(rest)
  }
}
