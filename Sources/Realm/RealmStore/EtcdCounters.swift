import MFAStore

/// A random number at the beginning of a value, by which a commit recognises what it has written.
enum Token {
  static let length = 8

  /// Returns a new token.
  static func random() -> [UInt8] { EtcdKeys.big(UInt64.random(in: 0...UInt64.max)) }

  /// Returns a value without its token.
  static func stripped(_ value: [UInt8]) throws(EngineError) -> [UInt8] {
    guard value.count >= length else { throw .refused }
    return Array(value[length...])
  }
}

/// The number of failures of a host in a period.
struct EtcdFailures: Equatable, Sendable {
  let key: [UInt8]
  /// How often the key was written.
  let version: Int64
  let count: UInt32

  init(key: [UInt8], version: Int64, count: UInt32) {
    self.key = key
    self.version = version
    self.count = count
  }

  init(_ key: [UInt8], _ entry: EtcdEntry?) throws(EngineError) {
    guard let entry else {
      self.init(key: key, version: 0, count: 0)
      return
    }
    guard entry.value.count == 4 else { throw .refused }
    self.init(
      key: key, version: entry.version, count: entry.value.reduce(0) { $0 << 8 | UInt32($1) })
  }
}

/// The end of the audit log.
struct EtcdLogEnd: Equatable, Sendable {
  /// How often the key was written.
  let version: Int64
  /// The number of the last line; 0 before the first one.
  let number: UInt32
  /// The sealed end.
  let end: [UInt8]

  init(_ entry: EtcdEntry?) throws(EngineError) {
    guard let entry else {
      (version, number, end) = (0, 0, [])
      return
    }
    let content = try Token.stripped(entry.value)
    guard content.count >= 4 else { throw .refused }
    version = entry.version
    number = content[..<4].reduce(0) { $0 << 8 | UInt32($1) }
    end = Array(content[4...])
  }
}
