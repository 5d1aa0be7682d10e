/// The claim of a host that an entry of the directory service belongs to a name.
///
/// A host reports entries of its own users. An entry that another name has, or had, can be the other name's because
/// the user was renamed, or because a host lied about one of the two names. The rule is a pure function.
///
/// MUST 1: an entry that is or was another name's goes to a name only after a code of the other name's factors was
/// accepted, at a host that may enrol both names, and only if such a host has reported the entry of the other name.
/// (`EntryClaimTests.table`)
/// MUST 2: what a host reports about its users changes nothing for a name that the host may not enrol.
/// (`EntryClaimTests.table`, `DirectoryIdentityTests.takeover`)
struct EntryClaim {
  /// Whose the entry is or was.
  enum Holder: CaseIterable {
    /// No name has or had the entry.
    case nobody
    /// The name that claims it.
    case sameName
    /// Another name, which has factors.
    case otherName
    /// Another name, which has no factor any more.
    case formerName
  }

  /// Whose the entry is or was.
  var holder: Holder
  /// Whether the name has factors of its own.
  var nameHasFactors = false
  /// Whether the groups of the host permit the name.
  var permitsName: Bool
  /// Whether the groups of the host permit the other name.
  var permitsHolder = false
  /// Whether a host that may enrol both names has reported that the other name has the entry.
  var isConfirmed = false
  /// Whether a code of the other name's factors was accepted in this sign-in.
  var isProven = false

  /// What a verifier does with a claim.
  enum Decision: CaseIterable {
    /// The entry belongs to the name from now on, together with the factors of the other name.
    case bind
    /// The user is asked for a code of the other name's factors.
    case ask
    /// The host may not ask about both names: the sign-in is denied.
    case refuse
    /// The claim has no effect: the name keeps what it has, and the entry stays with the other name.
    case ignore
  }

  /// What a verifier does.
  var decision: Decision {
    switch holder {
    case .nobody, .sameName: return permitsName ? .bind : .refuse
    // Without factors, nobody can prove to be the holder. An administrator can release the entry.
    case .formerName: return .ignore
    case .otherName:
      guard isConfirmed, !nameHasFactors else { return .ignore }
      guard permitsName, permitsHolder else { return .refuse }
      return isProven ? .bind : .ask
    }
  }
}
