import MFABase

/// A file in a POSIX tar archive (IEEE Std 1003.1, pax: the ustar interchange format). The archive can
/// be listed and unpacked with tar(1).
///
/// MUST 1: `encoded` is the only form that is read: anything else in an archive is an error.
/// (`TarMemberTests.everyByte`)
struct TarMember: Equatable {
  /// The path in the archive.
  let name: [UInt8]
  /// The time of the last change, in seconds since the epoch.
  let time: Int64
  /// The length of the content in bytes.
  let length: Int

  /// The length of a block in bytes. Headers and contents take whole blocks.
  static let blockLength = 512
  /// What ends an archive.
  static let end = [UInt8](repeating: 0, count: 2 * blockLength)

  private static let nameLength = 100
  private static let maximumLength = 0o7_777_777_777

  /// Describes a file. Returns nil if it is too long for a ustar archive.
  init?(name: [UInt8], time: Int64, length: Int) {
    guard !name.isEmpty, (0...Self.maximumLength).contains(length), time >= 0,
      time <= Int64(0o77_777_777_777)
    else { return nil }
    self.name = name
    self.time = time
    self.length = length
  }

  /// The zeros after the content.
  var padding: [UInt8] {
    let rest = length % Self.blockLength
    return [UInt8](repeating: 0, count: rest == 0 ? 0 : Self.blockLength - rest)
  }

  /// The blocks before the content. A long name is in an extended header before the other one.
  var header: [UInt8] {
    guard name.count > Self.nameLength else { return Self.block(name, length, time, type: "0") }
    let record = Self.record("path", name)
    guard let extended = TarMember(name: Self.extendedName, time: time, length: record.count)
    else { return [] }
    return Self.block(Self.extendedName, record.count, time, type: "x") + record + extended.padding
      + Self.block(Array(name.prefix(Self.nameLength)), length, time, type: "0")
  }

  private static let extendedName = Array("PaxHeaders/name".utf8)

  /// Returns a record of an extended header: its own length in decimal digits, the keyword and the
  /// value.
  private static func record(_ keyword: String, _ value: [UInt8]) -> [UInt8] {
    let rest = Array(" \(keyword)=".utf8) + value + [UInt8(ascii: "\n")]
    var length = rest.count
    while "\(length)".utf8.count + rest.count != length {
      length = "\(length)".utf8.count + rest.count
    }
    return Array("\(length)".utf8) + rest
  }

  private static func block(
    _ name: [UInt8], _ length: Int, _ time: Int64, type: Unicode.Scalar
  ) -> [UInt8] {
    func field(_ text: [UInt8], _ width: Int) -> [UInt8] {
      text + [UInt8](repeating: 0, count: width - text.count)
    }
    func octal(_ number: Int, _ width: Int) -> [UInt8] {
      let digits = Array(String(number, radix: 8).utf8)
      let zeros = [UInt8](repeating: UInt8(ascii: "0"), count: width - 1 - digits.count)
      return zeros + digits + [0]
    }
    let before =
      field(name, nameLength) + octal(0o600, 8) + octal(0, 8) + octal(0, 8)
      + octal(length, 12) + octal(Int(time), 12)
    let after =
      [UInt8(type.value)] + field([], 100) + field(Array("ustar".utf8), 6) + Array("00".utf8)
      + field(Array("root".utf8), 32) + field(Array("root".utf8), 32) + octal(0, 8) + octal(0, 8)
      + field([], 155) + field([], 12)
    let blank = [UInt8](repeating: UInt8(ascii: " "), count: 8)
    let sum = (before + blank + after).reduce(0) { $0 + Int($1) }
    return before + octal(sum, 7) + [UInt8(ascii: " ")] + after
  }

  /// Parses the header at the beginning of `bytes`, which may be followed by anything. Returns nil if
  /// `header` would not have returned it.
  init?(header bytes: [UInt8]) {
    guard let first = Self.fields(bytes) else { return nil }
    var found = first
    if first.type == UInt8(ascii: "x") {
      let start = Self.blockLength
      let blocks = (first.length + Self.blockLength - 1) / Self.blockLength
      let next = start + blocks * Self.blockLength
      guard first.length < 4096, bytes.count >= next + Self.blockLength,
        let second = Self.fields(Array(bytes[next...])), second.type == UInt8(ascii: "0"),
        let equals = bytes[start...].firstIndex(of: UInt8(ascii: "="))
      else { return nil }
      let end = start + first.length - 1
      guard equals < end else { return nil }
      found = second
      found.name = Array(bytes[(equals + 1)..<end])
    }
    guard found.type == UInt8(ascii: "0"),
      let member = TarMember(name: found.name, time: found.time, length: found.length),
      bytes.starts(with: member.header)
    else { return nil }
    self = member
  }

  /// The most bytes that a header has.
  static let longestHeader = 3 * blockLength + 4096

  private struct Fields {
    var name: [UInt8]
    let length: Int
    let time: Int64
    let type: UInt8
  }

  private static func fields(_ bytes: [UInt8]) -> Fields? {
    guard bytes.count >= blockLength,
      let length = number(bytes[124..<135]), let time = number(bytes[136..<147])
    else { return nil }
    return Fields(
      name: Array(bytes[..<nameLength].prefix { $0 != 0 }), length: length, time: Int64(time),
      type: bytes[156])
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    Int(String(decoding: digits, as: UTF8.self), radix: 8)
  }
}
