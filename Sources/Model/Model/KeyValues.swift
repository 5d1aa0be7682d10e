/// Values of keys: those that a section sets, or those in force.
struct KeyValues: Equatable, Sendable {
  /// The values, in the order of the keys; nil for keys that are not set. Empty before the first
  /// key is set.
  private var values: [ConfigurationValue?] = []

  /// Creates a value in which no key is set.
  init() {}

  /// The values for an empty file.
  static var defaults: KeyValues {
    var values = KeyValues()
    values.values = Configuration.Key.allCases.map { $0.declaration.defaultValue }
    return values
  }

  /// The value of `key`; nil if it is not set.
  subscript(key: Configuration.Key) -> ConfigurationValue? {
    get {
      let index = Int(key.rawValue)
      return index < values.count ? values[index] : nil
    }
    @inline(never) set {
      if values.isEmpty {
        values = [ConfigurationValue?](repeating: nil, count: Configuration.Key.allCases.count)
      }
      values[Int(key.rawValue)] = newValue
    }
  }

  /// Returns the number of `key`, or nil if the key is not set or its value is a list.
  func number(_ key: Configuration.Key) -> Int64? {
    guard case .number(let number) = self[key] else { return nil }
    return number
  }

  /// Returns the texts of `key`; none if the key is not set or its value is not a list of texts.
  func texts(_ key: Configuration.Key) -> [[UInt8]] {
    guard case .texts(let texts) = self[key] else { return [] }
    return texts
  }

  /// Returns the networks of `key`; none if the key is not set or its value is not a list of
  /// networks.
  func networks(_ key: Configuration.Key) -> [Network] {
    guard case .networks(let networks) = self[key] else { return [] }
    return networks
  }

  /// Returns the value of `key` in canonical form, or nil if it is not set.
  func printed(_ key: Configuration.Key) -> [UInt8]? {
    self[key].flatMap { key.declaration.type.printed($0) }
  }
}
