public import MFABytes

/// Salted slow hashes of the unused offline recovery codes of one user for one group of hosts.
public struct OfflineCodeSet: Equatable, Sendable {
  /// A hash of one code.
  public struct Code: Equatable, Sendable {
    /// The number of the code in the set.
    public let number: UInt8
    /// The hash, `hashLength` bytes.
    public let hash: [UInt8]

    /// Creates a value.
    public init(number: UInt8, hash: [UInt8]) {
      self.number = number
      self.hash = hash
    }
  }

  /// The random number of the set, `idLength` bytes.
  public let id: [UInt8]
  /// The salt of all hashes of the set, `saltLength` bytes.
  public let salt: [UInt8]
  /// The binary logarithm of the cost of a hash (N of RFC 7914).
  public let costLog2: UInt8
  /// The hashes of the unused codes.
  public var codes: [Code]

  /// The length of an id in bytes.
  public static let idLength = 8
  /// The length of a salt in bytes.
  public static let saltLength = 16
  /// The length of a hash in bytes.
  public static let hashLength = 32
  /// The largest number of codes.
  public static let mostCodes = 10
  /// The costs that are computed: 16 to 128 MiB of memory.
  public static let costs: ClosedRange<UInt8> = 14...17

  /// Creates a set.
  public init(id: [UInt8], salt: [UInt8], costLog2: UInt8, codes: [Code]) {
    self.id = id
    self.salt = salt
    self.costLog2 = costLog2
    self.codes = codes
  }

  /// Appends the encoding.
  public func write(to writer: inout ByteWriter) {
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
  public init?(_ reader: inout ByteReader) {
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
