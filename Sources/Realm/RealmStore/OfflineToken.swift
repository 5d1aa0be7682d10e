import MFABase
import MFAStore

/// What a verifier must know to write a permit anew: at which host a user signed in with a code, and when. The
/// host keeps it, and only verifiers can make it.
package struct OfflineToken: Equatable, Sendable {
  /// The host.
  package let host: [UInt8]
  /// The user.
  package let user: [UInt8]
  /// The time of the sign-in, in seconds since the epoch.
  package let signedInAt: Int64

  private static let version: UInt8 = 1

  /// Creates a token.
  package init(host: [UInt8], user: [UInt8], signedInAt: Int64) {
    self.host = host
    self.user = user
    self.signedInAt = signedInAt
  }

  func sealed(_ key: inout SealingKey) throws(FactorStoreError) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(Self.version)
    writer.writeShort(host)
    writer.writeShort(user)
    writer.write(signedInAt)
    return try RegistryRow.sealed(writer.bytes, .offlinePermit, &key)
  }

  init(_ sealed: [UInt8], _ key: inout SealingKey) throws(FactorStoreError) {
    let content = try RegistryRow.opened(sealed, .offlinePermit, &key)
    var reader = ByteReader(content.span)
    guard reader.read(UInt8.self) == Self.version, let host = reader.readShort(),
      let user = reader.readShort(), let time = reader.read(Int64.self), reader.isAtEnd
    else { throw .damaged(.record) }
    self.init(host: host, user: user, signedInAt: time)
  }
}
