/// Why a store is not the one that /etc/mfa/identity describes. Every case denies a sign-in.
///
/// MUST 1: a store that is missing, empty, older, from another machine, or of another key is not this
/// host's own once a change was recorded on this host. (`ForeignStoreTests.rule`)
/// MUST 2: a host on which nothing was ever recorded has an empty store. (`ForeignStoreTests.rule`)
package enum ForeignStore: UInt8, Equatable, Sendable, CaseIterable {
  /// /etc/mfa/identity is missing.
  case noIdentity
  /// The identity or the audit log was sealed with another key, or is damaged.
  case otherKey
  /// A folder of the store is missing.
  case missing
  /// The store has no entry in its audit log, and the host's own store has.
  case empty
  /// The store has another audit log.
  case otherStore
  /// The store is an earlier copy of the host's own.
  case older
  /// The host's own store belongs to a machine with another /etc/machine-id.
  case otherMachine

  /// The reason in one word, for log lines.
  package var name: StaticString {
    switch self {
    case .noIdentity: "no-identity"
    case .otherKey: "other-key"
    case .missing: "missing"
    case .empty: "empty"
    case .otherStore: "other-store"
    case .older: "older"
    case .otherMachine: "other-machine"
    }
  }

  /// Whether the reason can be that another process changes the store at this moment.
  package var mayBeTransient: Bool {
    switch self {
    case .noIdentity, .missing, .otherMachine: false
    case .otherKey, .empty, .otherStore, .older: true
    }
  }

  /// What /etc/mfa/identity has.
  package enum Known: Equatable, Sendable {
    /// There is no file.
    case missing
    /// The file was not written with the present key, or is damaged.
    case otherKey
    /// The identity of the host's store.
    case identity(StoreIdentity)
  }

  /// What the head of the audit log has.
  package enum Found: Equatable, Sendable {
    /// Nothing was ever recorded.
    case empty
    /// The head is whole, but was not written with the present key.
    case otherKey
    /// The head is damaged. Whatever reads it denies.
    case damaged
    /// The number of the audit log, and how often its head was written.
    case written(log: UInt32, sequence: UInt64)
  }

  /// Returns why the store is not the host's own, or nil if it is. `machine` is the present
  /// /etc/machine-id, or nil if the machine has none.
  package static func difference(
    _ known: Known, _ found: Found, machine: [UInt8]?
  ) -> ForeignStore? {
    let identity: StoreIdentity
    switch known {
    case .missing: return .noIdentity
    case .otherKey: return .otherKey
    case .identity(let content): identity = content
    }
    if identity.log != 0, let own = identity.machine, own != machine { return .otherMachine }
    switch found {
    case .damaged: return nil
    case .otherKey: return .otherKey
    case .empty: return identity.sequence == 0 ? nil : .empty
    case .written(let log, let sequence):
      // The audit log gets its number, which the identity knows first, with its first entry.
      guard identity.log != 0, log == identity.log else { return .otherStore }
      return sequence < identity.sequence ? .older : nil
    }
  }
}

/// What tells the store from the host's own.
package struct StoreComparison: Equatable, Sendable {
  /// Why the store is not the host's own, or nil.
  package var difference: ForeignStore?
  /// What /etc/mfa/identity says about the host's own store; nil if that is unknown.
  package var own: StoreIdentity?
  /// The number of entries in the audit log; nil if its head is missing, damaged or of another key.
  package var entries: UInt32?
  /// How often the head of the audit log was written; nil if that is unknown.
  package var sequence: UInt64?
  /// The /etc/machine-id of this machine; nil if it has none.
  package var machine: [UInt8]?

  /// Creates a comparison that found no difference.
  package init() {}
}
