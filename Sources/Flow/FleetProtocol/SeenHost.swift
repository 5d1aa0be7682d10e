/// A host that a network front has seen, and the front itself.
public struct SeenHost: Equatable, Sendable {
  /// The name of the host, from its certificate.
  public let host: [UInt8]
  /// The serial number of its certificate.
  public let serial: [UInt8]
  /// The version of its relay; empty if the relay does not tell.
  public let version: [UInt8]
  /// The end of its certificate, in seconds since the epoch.
  public let certificateEnd: Int64
  /// The name by which the certificate of the verifier names it first.
  public let verifier: [UInt8]

  /// The longest version in bytes.
  public static let longestVersion = 32

  /// Creates a value.
  public init(
    host: [UInt8], serial: [UInt8], version: [UInt8], certificateEnd: Int64, verifier: [UInt8]
  ) {
    self.host = host
    self.serial = serial
    self.version = version
    self.certificateEnd = certificateEnd
    self.verifier = verifier
  }
}
