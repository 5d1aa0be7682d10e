import MFABase

/// The reason why a backup cannot be made or restored.
package enum BackupProblem: Equatable {
  /// The file exists already.
  case exists(String)
  /// The file or its folder cannot be used.
  case file(String, SystemError)
  /// Another user than root can change the file or a folder of the path.
  case untrusted(String, TrustFailure)
  /// The file is not a backup, or is damaged; the second value says where.
  case damaged(String, at: String)
  /// The backup has a format that this version does not know.
  case otherVersion(String)
  /// Neither the backup nor the host has the key that the backup was sealed with.
  case noKey(String)
  /// The file does not have the key that the backup was sealed with.
  case otherKey(String, key: String)
  /// The store has records.
  case storeInUse(records: Int)
  /// The key is being changed.
  case keyChanging

  /// What failed, and why.
  package var message: String {
    switch self {
    case .exists(let path): "\(VisibleText.escaping(path)) exists"
    case .file(let path, let error): "\(VisibleText.escaping(path)): \(error.text)"
    case .untrusted(let path, let distrust):
      "\(VisibleText.escaping(path)) is not trusted: \(distrust.name)"
    case .damaged(let path, let place):
      "\(VisibleText.escaping(path)) is not a complete backup: \(VisibleText.escaping(place)); "
        + "nothing was changed"
    case .otherVersion(let path):
      "\(VisibleText.escaping(path)) was written by a later version; nothing was changed"
    case .noKey(let path):
      "\(VisibleText.escaping(path)) was sealed with a key that this host does not have; nothing was "
        + "changed"
    case .otherKey(let path, let key):
      "\(VisibleText.escaping(path)) was not sealed with the key in \(VisibleText.escaping(key)); "
        + "nothing was changed"
    case .storeInUse(1): "the store has 1 record; nothing was changed"
    case .storeInUse(let count): "the store has \(count) records; nothing was changed"
    case .keyChanging: "a change of the key was begun and is not complete"
    }
  }

  /// What the administrator can do next.
  package var hint: String {
    switch self {
    case .exists: "name another file, or use --overwrite"
    case .file: "check the path, the permissions and the free disk space"
    case .untrusted:
      "use a folder that belongs to root, below folders that only root may write to, such as /root"
    case .damaged: "use another copy; tar -tvf lists what a backup contains"
    case .otherVersion: "install that version"
    case .noKey: "name the file with the key that was kept with the backup: --key FILE"
    case .otherKey: "name the key that was in use when the backup was made"
    case .storeInUse:
      "use --replace to put the backup in its place; the present store is then backed up first"
    case .keyChanging: "complete it first: mfa-admin rekey"
    }
  }
}
