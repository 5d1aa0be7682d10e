import MFABase
import MFAStore

// Makes the present store the host's own, after an administrator was told what that means.
extension Administration {
  /// A store that an administrator may make the host's own.
  package struct StoreToAdopt: Equatable {
    /// Why it is not the host's own.
    package let difference: ForeignStore
    /// The number of users with a record; nil if the store is missing.
    package let users: Int?
    /// The number of entries that the audit log lacks; nil if that is unknown.
    package let missingEntries: UInt32?
    /// Whether the audit log cannot be verified with the present key.
    package let isUnreadable: Bool

    package init(
      _ difference: ForeignStore, users: Int?, missingEntries: UInt32? = nil,
      isUnreadable: Bool = false
    ) {
      self.difference = difference
      self.users = users
      self.missingEntries = missingEntries
      self.isUnreadable = isUnreadable
    }

    /// What it means to use the store, for an administrator.
    package var meaning: String {
      var text = difference.sentence + ".\n"
      guard let users, users > 0 else {
        return text
          + "Without it, no user has a factor: where policy does not require one, a password alone signs "
          + "in, and where it does, the next person with the password can enrol.\n"
          + "If you have a backup, run mfa-admin restore-backup after this command.\n"
      }
      text += "The store has the factors of \(users == 1 ? "1 user" : "\(users) users").\n"
      switch missingEntries {
      case .some(let count) where count > 0:
        text +=
          (count == 1 ? "1 change is missing" : "At least \(count) changes are missing")
          + " in it: what was revoked, unlocked or enrolled after the copy was made is undone.\n"
      case .some, .none: break
      }
      text += """
        Recovery codes, bypass codes, tickets and program passwords that were used or withdrawn since are \
        valid again, and so are codes of the last minutes. Failed attempts since are not counted.
        To void all of them, restore a backup instead: mfa-admin restore-backup.
        """ + "\n"
      if difference == .otherMachine || difference == .otherStore {
        text +=
          "If the other machine still uses the same factors, one code is accepted on both machines.\n"
      }
      return text
    }
  }

  /// Returns what an administrator is to know before the present store becomes the host's own, or nil if it
  /// is.
  package func storeToAdopt() throws(AdminError) -> StoreToAdopt? {
    let comparison = try onStore(try store.comparison())
    guard let difference = comparison.difference else { return nil }
    var users = 0
    do throws(FactorStoreError) {
      try store.forEachFile { user, name in
        if user != nil, !Self.isDraft(name) { users += 1 }
        return true
      }
    } catch .foreign(.missing) {
      return StoreToAdopt(difference, users: nil)
    } catch {
      throw .store(error)
    }
    let missing: UInt32? =
      if difference == .older, let own = comparison.own, let entries = comparison.entries {
        own.entries >= entries ? own.entries - entries : nil
      } else {
        nil
      }
    return StoreToAdopt(
      difference, users: users, missingEntries: missing,
      isUnreadable: difference == .otherKey && comparison.entries == nil && users > 0)
  }

  /// Makes the present store the host's own. All its folders exist.
  package func adoptStore(_ difference: ForeignStore) throws(AdminError) -> AuditLogCheckpoint {
    let checkpoint = try onStore(
      try store.adopt(entering: event(.storeAdopted, detail: difference.name.bytes)))
    note("store-adopted", checkpoint, as: .warning) { $0.add("difference", difference.name) }
    return checkpoint
  }
}

extension ForeignStore {
  /// What is wrong, as a clause to follow a colon.
  package var sentence: String {
    let store = "\(InstalledPath.store)"
    return switch self {
    case .noIdentity:
      "\(InstalledPath.storeIdentity) is missing, so nothing says that \(store) is this host's own "
        + "store"
    case .otherKey:
      "\(store) or \(InstalledPath.storeIdentity) does not belong to \(InstalledPath.key)"
    case .missing:
      "\(store) or one of its folders is missing: the store is not mounted, or was moved away"
    case .empty:
      "\(store) has no audit log, but users or administrators of this host have changed factors before"
    case .otherStore: "\(store) is the store of another installation"
    case .older: "\(store) is an earlier copy of this host's store"
    case .otherMachine:
      "\(store) belongs to another machine: /etc/machine-id is not the one that the store was made "
        + "on"
    }
  }

  /// What an administrator can do.
  package var hint: String {
    let adopt = "mfa-admin adopt-store says what it means to use the present store, and does so"
    switch self {
    case .otherKey:
      return "restore \(InstalledPath.key) from a backup: 32 bytes, owner mfa, mode 0400; "
        + "if there is none: " + adopt
    case .missing, .empty, .otherStore, .older:
      return "put the store of this host back, or mount it; otherwise: " + adopt
    case .noIdentity, .otherMachine: return adopt
    }
  }
}
