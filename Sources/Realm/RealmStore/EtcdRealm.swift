import MFABase
import MFAStore

/// The stored state of a realm, without the fingerprint of its configuration.
struct EtcdRealm: Equatable, Sendable {
  /// The stored bytes. Two realms have the same bytes only if one commit wrote them, because an
  /// incarnation has a random part.
  let bytes: [UInt8]
  let epoch: UInt64
  let incarnation: [UInt8]
  let fence: Int64
  let fenceIntervals: UInt8
  /// The format in which rows are written, see `RealmState`.
  let format: UInt16

  private static let version: UInt8 = 1

  /// Creates the stored state. The incarnation has at most 255 bytes.
  init(_ state: RealmState) {
    epoch = state.epoch
    incarnation = state.incarnation
    fence = state.fence
    fenceIntervals = state.fenceIntervals
    format = state.format
    var writer = ByteWriter()
    writer.write(Self.version)
    writer.write(epoch)
    writer.write(fence)
    writer.write(fenceIntervals)
    writer.write(format)
    writer.writeShort(incarnation)
    bytes = writer.bytes
  }

  /// Reads stored bytes.
  init(_ bytes: [UInt8]) throws(EngineError) {
    var reader = ByteReader(bytes.span)
    guard reader.read(UInt8.self) == Self.version, let epoch = reader.read(UInt64.self),
      let fence = reader.read(Int64.self), let fenceIntervals = reader.read(UInt8.self),
      let format = reader.read(UInt16.self),
      let incarnation = reader.readShort(), reader.isAtEnd
    else { throw .refused }
    self.bytes = bytes
    self.epoch = epoch
    self.fence = fence
    self.fenceIntervals = fenceIntervals
    self.incarnation = incarnation
    self.format = format
  }

  /// Returns the state for the store.
  func state(configuration: UInt64) -> RealmState {
    RealmState(
      epoch: epoch, incarnation: incarnation, fence: fence, fenceIntervals: fenceIntervals,
      configuration: configuration, format: format)
  }
}
