/// A host that a network front has seen, and the front itself.
package struct SeenHost: Equatable, Sendable {
  /// The name of the host, from its certificate.
  package let host: [UInt8]
  /// The serial number of its certificate.
  package let serial: [UInt8]
  /// The version of its relay; empty if the relay does not tell.
  package let version: [UInt8]
  /// The end of its certificate, in seconds since the epoch.
  package let certificateEnd: Int64
  /// The name by which the certificate of the verifier names it first.
  package let verifier: [UInt8]

  /// The longest version in bytes.
  package static let longestVersion = 32

  /// Creates a value.
  package init(
    host: [UInt8], serial: [UInt8], version: [UInt8], certificateEnd: Int64, verifier: [UInt8]
  ) {
    self.host = host
    self.serial = serial
    self.version = version
    self.certificateEnd = certificateEnd
    self.verifier = verifier
  }
}
