import MFABase

/// Salted slow hashes of the unused offline recovery codes of one user for one group of hosts.
package struct OfflineCodeSet: Equatable, Sendable {
  /// A hash of one code.
  package struct Code: Equatable, Sendable {
    /// The number of the code in the set.
    package let number: UInt8
    /// The hash, `hashLength` bytes.
    package let hash: [UInt8]

    /// Creates a value.
    package init(number: UInt8, hash: [UInt8]) {
      self.number = number
      self.hash = hash
    }
  }

  /// The random number of the set, `idLength` bytes.
  package let id: [UInt8]
  /// The salt of all hashes of the set, `saltLength` bytes.
  package let salt: [UInt8]
  /// The binary logarithm of the cost of a hash (N of RFC 7914).
  package let costLog2: UInt8
  /// The hashes of the unused codes.
  package var codes: [Code]

  /// The length of an id in bytes.
  package static let idLength = 8
  /// The length of a salt in bytes.
  package static let saltLength = 16
  /// The length of a hash in bytes.
  package static let hashLength = 32
  /// The largest number of codes.
  package static let mostCodes = 10
  /// The costs that are computed: 16 to 128 MiB of memory.
  package static let costs: ClosedRange<UInt8> = 14...17

  /// Creates a set.
  package init(id: [UInt8], salt: [UInt8], costLog2: UInt8, codes: [Code]) {
    self.id = id
    self.salt = salt
    self.costLog2 = costLog2
    self.codes = codes
  }

  /// Appends the encoding.
  package func write(to writer: inout ByteWriter) {
    writer.write(id)
    writer.write(salt)
    writer.write(costLog2)
    writer.write(UInt8(clamping: codes.count))
    for code in codes {
      writer.write(code.number)
      writer.write(code.hash)
    }
  }

  /// Reads the encoding. Returns nil if it is malformed.
  package init?(_ reader: inout ByteReader) {
    guard let id = reader.read(count: Self.idLength),
      let salt = reader.read(count: Self.saltLength),
      let cost = reader.read(UInt8.self), Self.costs.contains(cost),
      let count = reader.read(UInt8.self), Int(count) <= Self.mostCodes
    else { return nil }
    var codes: [Code] = []
    for _ in 0..<count {
      guard let number = reader.read(UInt8.self), let hash = reader.read(count: Self.hashLength)
      else { return nil }
      codes.append(Code(number: number, hash: hash))
    }
    self.init(id: id, salt: salt, costLog2: cost, codes: codes)
  }
}
