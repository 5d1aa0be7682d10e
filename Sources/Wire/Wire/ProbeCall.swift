import MFABase

/// A question of root's to the decider: what it can read and write. SERVICE.md defines the encoding.
package struct ProbeCall: WireMessage, ~Copyable {
  package static var kind: UInt8 { 0x43 }

  /// Creates the request. It has no fields.
  package init() {}

  /// Returns whether a packet is such a request.
  package static func begins(_ packet: Span<UInt8>) -> Bool {
    packet.count > 0 && packet[0] == kind
  }

  /// Lists no field.
  package mutating func fields(_ coder: inout Coder) throws(PacketError) {}
}

/// What a decider can read and write, or what this host has in the same places.
package struct ProbeReply: WireMessage, Equatable, Sendable {
  package static var kind: UInt8 { 0x83 }

  /// The effective user ID of the decider.
  package var user: UInt32 = .max
  /// Why the configuration cannot be used, as the pairs of a log line; empty if it can.
  package var configurationProblem: [UInt8] = []
  /// A digest of the paths and the texts of the configuration's files.
  package var configuration: UInt64 = 0
  /// Why the store or its key cannot be used, as the pairs of a log line; empty if they can.
  package var storeProblem: [UInt8] = []
  /// The device and the number of the store's folder.
  package var folder: [UInt8] = []
  /// The identity of the key.
  package var key: [UInt8] = []

  /// The longest field in bytes.
  private static var longest: Int { 1_024 }

  /// Creates a reply of which nothing is known.
  package init() {}

  /// Lists the fields.
  package mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.number(&user)
    try coder.bytes(&configurationProblem, longest: Self.longest)
    try coder.number(&configuration)
    try coder.bytes(&storeProblem, longest: Self.longest)
    try coder.bytes(&folder, longest: Self.longest)
    try coder.bytes(&key, longest: Self.longest)
  }
}
