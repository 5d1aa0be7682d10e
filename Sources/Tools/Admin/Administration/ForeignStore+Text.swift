import MFABase
import MFAStore

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
