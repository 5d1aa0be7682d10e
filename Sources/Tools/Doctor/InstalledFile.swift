import MFAAdmin
import MFABase
import MFAStore

/// What is required of a file or folder of the installation, on which sign-ins and enrolments depend.
///
/// `Ownership` reports what is different, and `Repair` corrects it. packaging/make-store creates the files of the
/// store and of the configuration like this. (`EndToEnd.Repairing.soundHost`)
struct InstalledFile {
  /// An account that owns files of the installation, and its group.
  enum Owner: String {
    case root, mfa
    case gateway = "mfa-gateway"
  }

  /// The absolute path.
  let path: String
  /// The required type.
  let kind: PathStatus.Kind
  /// The required owner.
  let owner: Owner
  /// The group, if it is not that of the owner.
  var group: Owner?
  /// The accepted permissions, the default first. If empty, the user mfa must be able to read the file, and only
  /// its owner may be able to write to it.
  var permissions: [UInt32] = []
  /// The required size in bytes, or nil for any size.
  var size: Int64?
  /// The effect of a violation, for messages.
  private(set) var harm: String
  /// Whether the file may be absent.
  var isOptional = false
  /// Whether `Ownership` leaves the file to other examinations, or to the program that creates it again.
  var isOnlyRepaired = false
  /// The permissions of the files in this folder, which have its owner; nil if there is a line for each of them.
  var contents: [UInt32]?

  private static let denied = "sign-ins that require a code are denied"
  private static let noEnrolling = "no user can enrol"
  private static let noChange =
    "no user can enrol and no recovery or bypass code is accepted, because nothing can be recorded"
  private static let noUser = "the user cannot sign in"
  private static let noService = "mfa-admin cannot change services"

  /// The configuration: /etc/mfa and what is in it. A folder comes before its files.
  static let configuration = [
    InstalledFile(
      path: "\(InstalledPath.configurationFolder)", kind: .folder, owner: .root,
      permissions: [], harm: denied),
    InstalledFile(
      path: "\(InstalledPath.configuration)", kind: .file, owner: .root, harm: denied,
      isOptional: true),
    InstalledFile(
      path: "\(InstalledPath.dropIns)", kind: .folder, owner: .root, harm: denied, isOptional: true,
      contents: []),
    InstalledFile(
      path: "\(InstalledPath.key)", kind: .file, owner: .mfa, permissions: [0o400], size: 32,
      harm: "no factor can be used"),
    InstalledFile(
      path: "\(InstalledPath.key).next", kind: .file, owner: .mfa, permissions: [0o400], size: 32,
      harm: "mfa-admin rekey cannot complete the change of the key", isOptional: true),
    InstalledFile(
      path: "\(InstalledPath.storeIdentity)", kind: .folder, owner: .mfa, permissions: [0o700],
      harm: denied, isOptional: true),
    InstalledFile(
      path: "\(InstalledPath.storeIdentity)/\(StoreIdentity.fileName)", kind: .file, owner: .mfa,
      permissions: [0o600], size: Int64(StoreIdentity.length), harm: denied, isOptional: true),
    InstalledFile(
      path: "\(InstalledPath.breakGlass)", kind: .file, owner: .root, group: .mfa,
      permissions: [0o640], harm: "the break-glass code is refused", isOptional: true,
      isOnlyRepaired: true),
    InstalledFile(
      path: "\(InstalledPath.realm)", kind: .file, owner: .root, harm: denied, isOptional: true,
      isOnlyRepaired: true),
    InstalledFile(
      path: "\(InstalledPath.importedUsers)", kind: .file, owner: .root, permissions: [0o600],
      harm: "mfa-admin realm import cannot go on", isOptional: true, isOnlyRepaired: true),
    InstalledFile(
      path: "\(InstalledPath.acceptedFindings)", kind: .file, owner: .root, permissions: [0o600],
      harm: "doctor reports all accepted findings", isOptional: true, isOnlyRepaired: true),
    InstalledFile(
      path: "\(InstalledPath.pendingChanges)", kind: .folder, owner: .root, permissions: [0o700],
      harm: noService, isOptional: true, isOnlyRepaired: true, contents: [0o600]),
    InstalledFile(
      path: "\(InstalledPath.confirmedChanges)", kind: .folder, owner: .root,
      permissions: [0o700], harm: noService, isOptional: true, isOnlyRepaired: true,
      contents: [0o600]),
    InstalledFile(
      path: "\(InstalledPath.configurationFolder)/gateway.conf", kind: .file, owner: .gateway,
      permissions: [0o400], harm: "the gateway sends no codes", isOptional: true,
      isOnlyRepaired: true),
    InstalledFile(
      path: "\(InstalledPath.configurationFolder)/fleet.conf", kind: .file, owner: .root,
      harm: "the relay cannot start", isOptional: true, isOnlyRepaired: true),
  ]

  /// The store: /var/lib/mfa and what is in it. A folder comes before its files.
  static let store = [
    InstalledFile(
      path: "\(InstalledPath.store)", kind: .folder, owner: .mfa, permissions: [0o700, 0o2700],
      harm: denied),
    folder(.factors, noUser, isOptional: false), folder(.attempts, noUser, isOptional: false),
    folder(.uids, denied),
    file(.auditLog, noChange), file(.auditLogHead, noChange),
    file(.auditLogIndex, noChange, isOnlyRepaired: true),
    file(.helpers, noEnrolling, isOnlyRepaired: true),
    folder(.mail, "the resident service mails no notices"),
    InstalledFile(
      path: StoreFile.realmMailPath, kind: .folder, owner: .mfa, permissions: [0o2700, 0o700],
      harm: "a verifier on this machine mails no notices", isOptional: true, contents: [0o600]),
    folder(.phone, "no code is sent to phones"),
  ]

  private static func folder(
    _ file: StoreFile, _ harm: String, isOptional: Bool = true
  ) -> InstalledFile {
    InstalledFile(
      path: file.path, kind: .folder, owner: .mfa, permissions: [0o2700, 0o700], harm: harm,
      isOptional: isOptional, contents: [0o600])
  }

  private static func file(
    _ file: StoreFile, _ harm: String, isOnlyRepaired: Bool = false
  ) -> InstalledFile {
    InstalledFile(
      path: file.path, kind: .file, owner: .mfa, permissions: [0o600], harm: harm,
      isOptional: true, isOnlyRepaired: isOnlyRepaired)
  }

  /// What packaging/install or a package installs. Only an installation can make sure of the contents, so `Repair`
  /// changes none of these files.
  static let programs = [
    InstalledFile(
      path: "\(InstalledPath.programFolder)", kind: .folder, owner: .root, harm: noEnrolling),
    InstalledFile(
      path: "\(InstalledPath.vendorConfiguration)", kind: .file, owner: .root, harm: denied,
      isOptional: true),
    InstalledFile(
      path: "\(InstalledPath.resident)", kind: .file, owner: .root,
      harm: "the resident service cannot start"),
    InstalledFile(
      path: "\(InstalledPath.helper)", kind: .file, owner: .mfa, permissions: [0o6755, 0o4755],
      harm: noEnrolling),
    InstalledFile(
      path: "/usr/bin/mfa-enroll", kind: .file, owner: .root, permissions: [0o755],
      harm: "users cannot run it, or run it with other rights than theirs"),
    InstalledFile(
      path: "/usr/sbin/mfa-admin", kind: .file, owner: .root,
      permissions: [0o755, 0o700, 0o750], harm: "users could run it with root's rights"),
    InstalledFile(
      path: "\(InstalledPath.helperService)", kind: .file, owner: .root, harm: noEnrolling),
  ]

  /// The effect of a violation on a host of a realm, if the file belongs to the host's own store.
  static let harmInRealm =
    "mfa-admin cannot record changes to services, and this host cannot use its own store when it leaves the realm"

  /// The same requirement on a host of a realm, where sign-ins do not depend on the host's own store.
  var inRealm: InstalledFile {
    guard owner == .mfa, path != StoreFile.realmMailPath else { return self }
    var file = self
    file.harm = Self.harmInRealm
    return file
  }

  /// Returns what is required of a file in this folder, or nil if there is a line for each of them.
  func file(named name: String) -> InstalledFile? {
    contents.map {
      InstalledFile(
        path: "\(path)/\(name)", kind: .file, owner: owner, permissions: $0, harm: harm,
        isOptional: true)
    }
  }

  /// Whether the file is in the store or in the configuration, where `Repair` corrects owners and permissions.
  var isRepairable: Bool {
    let folders = ["\(InstalledPath.configurationFolder)", "\(InstalledPath.store)"]
    return folders.contains { path == $0 || path.hasPrefix($0 + "/") }
  }
}
