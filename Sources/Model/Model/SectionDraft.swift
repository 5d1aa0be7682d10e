import MFABase

/// A section while its lines are being read.
struct SectionDraft {
  /// The type of section.
  let kind: Configuration.Section
  /// The tenant's name; empty for `[project]`.
  let name: [UInt8]
  /// The header line in the last file that has the section.
  var header = Configuration.Origin.none
  /// The line that set each key, in the order of the keys.
  private(set) var origins = [Configuration.Origin](
    repeating: .none, count: Configuration.Key.allCases.count)

  /// The key after the one that was set last, where the search for a name begins: most files set
  /// the keys in their order.
  private var nextKey: Configuration.Key
  /// The values that the files set.
  private(set) var values = KeyValues()

  init(_ kind: Configuration.Section, name: [UInt8] = []) {
    self.kind = kind
    self.name = name
    nextKey = kind == .project ? .state : .users
  }

  /// Returns the line that set `key`.
  func origin(of key: Configuration.Key) -> Configuration.Origin {
    origins[Int(key.rawValue)]
  }

  /// Returns a section in which only these keys have values.
  func keeping(_ keys: [Configuration.Key]) -> SectionDraft {
    var section = SectionDraft(kind, name: name)
    for key in keys { section.values[key] = values[key] }
    return section
  }

  /// Sets a key to the value in the line at `origin`, overriding earlier files. Throws the reason
  /// if the line is invalid.
  mutating func set(
    _ name: Span<UInt8>, to value: Span<UInt8>, at origin: Configuration.Origin
  ) throws(ConfigurationError.Reason) {
    guard let key = Configuration.Key(named: name, from: nextKey) else {
      throw .unknownKey(Excerpt(name), in: kind)
    }
    nextKey = key.next
    let declaration = key.declaration
    guard declaration.belongs(to: kind) else { throw .unknownKey(Excerpt(name), in: kind) }
    let earlier = origins[Int(key.rawValue)]
    guard !earlier.isIn(origin.file) else {
      throw .repeatedKey(key, firstLine: Int(earlier.line))
    }
    origins[Int(key.rawValue)] = origin
    values[key] = try declaration.type.parse(value, of: key)
  }
}
