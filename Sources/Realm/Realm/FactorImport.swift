import MFAModel

/// What an import does with one factor of a host.
package struct FactorImport: Equatable, Sendable {
  /// The result. The raw values are sent.
  package enum Result: UInt8, CaseIterable, Sendable {
    /// The factor was added.
    case added = 1
    /// The realm had the factor, or one with the same key.
    case present = 2
    /// The factor took the place of one with the same id or the same name.
    case replaced = 3
    /// The realm has something else, and keeps it.
    case kept = 4
    /// An earlier import added the factor, and the realm does not have it any more.
    case revoked = 5
    /// The user would have more than the largest number of factors.
    case noRoom = 6
    /// Conflict: the realm has a factor with this id that is not the same.
    case otherContent = 7
    /// Conflict: the realm has another factor with this name.
    case sameName = 8
    /// Conflict: the realm has factors of the user, and the host has none of them.
    case otherFactors = 9
    /// An undo removed the factor.
    case removed = 10
    /// An undo left the factor, because it has changed since the import.
    case changed = 11
    /// An undo found the factor removed.
    case missing = 12

    /// Whether an administrator has to decide.
    package var isConflict: Bool {
      switch self {
      case .otherContent, .sameName, .otherFactors: true
      case .added, .present, .replaced, .kept, .revoked, .noRoom, .removed, .changed, .missing:
        false
      }
    }

    /// Whether the realm has the factor of the host after an import.
    package var isInRealm: Bool { self == .added || self == .present || self == .replaced }
  }

  /// The factor.
  package let id: FactorID
  /// The result.
  package var result: Result
  /// A keyed digest of the factor as the realm has it after an import; empty if the realm does not have it. An
  /// undo removes only a factor with the same digest.
  package var mark: [UInt8]

  /// Creates a value.
  package init(_ id: FactorID, _ result: Result, mark: [UInt8] = []) {
    self.id = id
    self.result = result
    self.mark = mark
  }
}

/// What an import does with the recovery codes of a user. The raw values are sent.
package enum RecoveryCodeImport: UInt8, CaseIterable, Sendable {
  /// The host has no codes, or no factor was imported.
  case none = 0
  /// The codes were added.
  case added = 1
  /// The realm had recovery codes of the user, which stay.
  case present = 2
  /// An earlier import has decided about them.
  case earlier = 3
  /// They were not added, because the realm has a ticket or a bypass code for the user.
  case grants = 4
  /// An undo removed the codes.
  case removed = 5
  /// An undo left the codes, because they have changed since the import.
  case changed = 6
}

/// How a conflict between a host and its realm is decided. The raw values are sent.
package enum ConflictChoice: UInt8, CaseIterable, Sendable {
  /// Nothing is decided: a user with a conflict is not changed.
  case undecided = 0
  /// What the realm has stays.
  case keep = 1
  /// What the host has takes its place.
  case take = 2
}
