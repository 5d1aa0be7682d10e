/// The key of a row.
package struct EngineKey: Hashable, Sendable {
  /// What a row is about. The raw values are stored.
  package enum Kind: UInt8, Sendable {
    /// A user's record and attempt state.
    case user = 1
    /// A host of the realm.
    case host = 2
    /// A ticket with which a host joins the realm.
    case ticket = 3
    /// When a host was seen last.
    case hostSeen = 24
    /// When a verifier was seen last.
    case verifierSeen = 25
    /// A user's offline recovery codes.
    case offlineCodes = 16
    /// How far the queue of a host was reported.
    case offlineQueue = 17
    /// The entry of a user in the directory service.
    case directoryEntry = 26
    /// The user of an entry in the directory service.
    case directoryUser = 27
    /// The hosts that have reported the entry of a user.
    case directoryReports = 28
  }

  /// What the row is about.
  package let kind: Kind
  /// The id: 1 to 255 bytes.
  package let id: [UInt8]

  /// The maximum length of an id in bytes.
  package static let longestID = 255

  /// Creates a key. Returns nil if the id is empty or too long.
  package init?(_ kind: Kind, _ id: [UInt8]) {
    guard !id.isEmpty, id.count <= Self.longestID else { return nil }
    self.kind = kind
    self.id = id
  }
}
