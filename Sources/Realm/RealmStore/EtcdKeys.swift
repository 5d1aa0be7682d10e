/// The keys of a realm in a cluster, and the encoding of their values.
///
///     PREFIX realm                          epoch, incarnation, fence
///     PREFIX configuration                  fingerprint of the configuration
///     PREFIX row/ KIND ID                   token, record, attempts
///     PREFIX failures/ PERIOD HOST          number of failures, 4 bytes
///     PREFIX answer/ NONCE                  token, answer; bound to a lease
///     PREFIX log-end                        token, number and sealed end of the last line
///     PREFIX line/ NUMBER                   line, sealed end
///
/// Numbers in keys are big-endian, so that the order of keys is that of numbers. The version of a row is
/// etcd's version of its key, because rows are never removed. A token is random and belongs to one commit:
/// it shows whose commit took effect.
struct EtcdKeys {
  private let prefix: [UInt8]

  init(prefix: [UInt8]) { self.prefix = prefix }

  private func key(_ name: StaticString, _ rest: [UInt8] = []) -> [UInt8] {
    prefix + Array("\(name)".utf8) + rest
  }

  static func big(_ number: some FixedWidthInteger) -> [UInt8] {
    let width = number.bitWidth
    return (0..<(width / 8)).map {
      UInt8(truncatingIfNeeded: number >> (width - 8 - 8 * $0))
    }
  }

  var realm: [UInt8] { key("realm") }
  var configuration: [UInt8] { key("configuration") }
  var logEnd: [UInt8] { key("log-end") }

  /// The kind and the beginning of its ids.
  private func kind(_ kind: EngineKey.Kind) -> [UInt8] { key("row/", [kind.rawValue]) }

  func row(_ row: EngineKey) -> [UInt8] { kind(row.kind) + row.id }

  /// The keys of rows of one kind with ids after `id`.
  func rows(_ kind: EngineKey.Kind, after id: [UInt8]) -> (first: [UInt8], end: [UInt8]) {
    let all = self.kind(kind)
    return (id.isEmpty ? all : all + id + [0], key("row/", [kind.rawValue + 1]))
  }

  /// Returns the id in the key of a row.
  func id(of key: [UInt8], _ kind: EngineKey.Kind) -> [UInt8]? {
    let all = self.kind(kind)
    return key.starts(with: all) ? Array(key[all.count...]) : nil
  }

  /// The order of the bits of a negative period is that of a positive one.
  private static func period(_ period: Int64) -> [UInt8] {
    big(UInt64(bitPattern: period) ^ 1 << 63)
  }

  func failures(_ host: [UInt8], in period: Int64) -> [UInt8] {
    key("failures/", Self.period(period) + host)
  }

  /// The failures in periods before `period`.
  func failures(before period: Int64) -> (first: [UInt8], end: [UInt8]) {
    (key("failures/"), key("failures/", Self.period(period)))
  }

  func answer(_ nonce: [UInt8]) -> [UInt8] { key("answer/", nonce) }

  func line(_ number: UInt32) -> [UInt8] { key("line/", Self.big(number)) }

  /// The end of the keys of lines.
  var endOfLines: [UInt8] { key("line0") }
}
