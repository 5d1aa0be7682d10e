import MFAAdmin
import MFABase
import MFAPAMStack
import MFAStore

/// Checks the permissions, owners and types of the files on which sign-ins and enrolments depend.
enum Ownership: Examination {
  /// The required properties of the file at a path.
  struct Requirement {
    let path: String
    let kind: PathStatus.Kind
    /// The required owner.
    let owner: Owner
    /// The accepted permissions, the default first. If empty, all users must be able to read the
    /// file, and only its owner may be able to write to it.
    var permissions: [UInt32] = []
    /// The required size in bytes, or nil for any size.
    var size: Int64?
    /// The effect of a violation, for the message.
    let harm: String
    /// Whether the file may be absent.
    var isOptional = false
  }

  /// An account that owns files of the installation.
  enum Owner { case root, mfa }

  private static let denied = "sign-ins that require a code are denied"
  private static let noEnrolling = "no user can enrol"
  private static let noChange =
    "no user can enrol and no recovery or bypass code is accepted, because nothing can be recorded"

  /// The files to check, except drop-ins, the module and the users' files in the store.
  static let requirements = [
    Requirement(
      path: "\(InstalledPath.configurationFolder)", kind: .folder, owner: .root, harm: denied),
    Requirement(
      path: "\(InstalledPath.configuration)", kind: .file, owner: .root, harm: denied,
      isOptional: true),
    Requirement(
      path: "\(InstalledPath.dropIns)", kind: .folder, owner: .root, harm: denied, isOptional: true),
    Requirement(
      path: "\(InstalledPath.vendorConfiguration)", kind: .file, owner: .root, harm: denied,
      isOptional: true),
    Requirement(
      path: "\(InstalledPath.key)", kind: .file, owner: .mfa, permissions: [0o400], size: 32,
      harm: "no factor can be used"),
    Requirement(
      path: "\(InstalledPath.storeIdentity)", kind: .folder, owner: .mfa, permissions: [0o700],
      harm: denied, isOptional: true),
    Requirement(
      path: "\(InstalledPath.storeIdentity)/\(StoreIdentity.fileName)", kind: .file, owner: .mfa,
      permissions: [0o600], size: Int64(StoreIdentity.length), harm: denied, isOptional: true),
    Requirement(
      path: "\(InstalledPath.store)", kind: .folder, owner: .mfa, permissions: [0o700, 0o2700],
      harm: denied),
    Requirement(
      path: StoreFile.factors.path, kind: .folder, owner: .mfa, permissions: [0o2700, 0o700],
      harm: denied),
    Requirement(
      path: StoreFile.attempts.path, kind: .folder, owner: .mfa, permissions: [0o2700, 0o700],
      harm: denied),
    Requirement(
      path: StoreFile.uids.path, kind: .folder, owner: .mfa, permissions: [0o2700, 0o700],
      harm: denied, isOptional: true),
    Requirement(
      path: StoreFile.auditLog.path, kind: .file, owner: .mfa, permissions: [0o600],
      harm: noChange, isOptional: true),
    Requirement(
      path: StoreFile.auditLogHead.path, kind: .file, owner: .mfa, permissions: [0o600],
      harm: noChange, isOptional: true),
    Requirement(
      path: "\(InstalledPath.programFolder)", kind: .folder, owner: .root, harm: noEnrolling),
    Requirement(
      path: "\(InstalledPath.resident)", kind: .file, owner: .root,
      harm: "the resident service cannot start"),
    Requirement(
      path: StoreFile.mail.path, kind: .folder, owner: .mfa, permissions: [0o2700, 0o700],
      harm: "the resident service mails no notices", isOptional: true),
    Requirement(
      path: StoreFile.realmMailPath, kind: .folder, owner: .mfa, permissions: [0o2700, 0o700],
      harm: "a verifier on this machine mails no notices", isOptional: true),
    Requirement(
      path: StoreFile.phone.path, kind: .folder, owner: .mfa, permissions: [0o2700, 0o700],
      harm: "no code is sent to phones", isOptional: true),
    Requirement(
      path: "\(InstalledPath.helper)", kind: .file, owner: .mfa, permissions: [0o6755, 0o4755],
      harm: noEnrolling),
    Requirement(
      path: "/usr/bin/mfa-enroll", kind: .file, owner: .root, permissions: [0o755],
      harm: "users cannot run it, or run it with other rights than theirs"),
    Requirement(
      path: "/usr/sbin/mfa-admin", kind: .file, owner: .root, permissions: [0o755, 0o700, 0o750],
      harm: "users could run it with root's rights"),
    Requirement(
      path: "\(InstalledPath.helperService)", kind: .file, owner: .root, harm: noEnrolling),
  ]

  /// The maximum number of a folder's files that a message names.
  private static let mostNamed = 5

  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    requirements.compactMap { finding($0, snapshot) } + dropIns(snapshot) + helper(snapshot)
      + modules(snapshot) + [StoreFile.factors, .attempts].compactMap { files($0, snapshot) }
  }

  // MARK: One path

  private static func finding(_ required: Requirement, _ snapshot: HostSnapshot) -> Finding? {
    let status: PathStatus
    do throws(AdminError) {
      guard let found = try snapshot.host.status(of: required.path) else {
        guard !required.isOptional else { return nil }
        return wrong(required, snapshot, "is missing")
      }
      status = found
    } catch {
      return .unchecked("the owner and permissions", error)
    }
    guard let reason = reason(status, required, snapshot) else { return nil }
    return wrong(required, snapshot, reason)
  }

  /// Returns how a file violates the requirement, or nil if it does not.
  private static func reason(
    _ status: PathStatus, _ required: Requirement, _ snapshot: HostSnapshot
  ) -> String? {
    guard status.kind == required.kind else {
      return "is of type \(status.kind.rawValue), expected \(required.kind.rawValue)"
    }
    if let owner = identity(required.owner, snapshot), status.owner != owner {
      return "belongs to uid \(status.owner), expected \(required.owner)"
    }
    let text = PathStatus.text(status.permissions)
    if required.permissions.isEmpty {
      guard status.permissions & 0o022 == 0 else {
        return "has mode \(text): users other than root can write to it"
      }
      let needed: UInt32 = required.kind == .folder ? 0o5 : 0o4
      guard isReadable(status, needed, snapshot) else {
        return "has mode \(text): the user mfa cannot read it"
      }
    } else if !required.permissions.contains(status.permissions) {
      return "has mode \(text), expected \(PathStatus.text(required.permissions[0]))"
    }
    if required.kind == .file, status.links != 1 { return "has \(status.links) hard links" }
    if let size = required.size, status.size != size {
      return "has \(status.size) bytes, expected \(size)"
    }
    return nil
  }

  /// Returns whether the user mfa has these rights of a file: as its owner, in its group, or as any user.
  private static func isReadable(
    _ status: PathStatus, _ needed: UInt32, _ snapshot: HostSnapshot
  ) -> Bool {
    guard let user = identity(.mfa, snapshot) else { return status.permissions & needed == needed }
    let step = ReadingObstacle.Step(
      path: "", isFolder: status.kind == .folder, owner: status.owner, group: status.group,
      permissions: status.permissions)
    return step.rights(of: user, group: snapshot.host.decidersGroup ?? .max) & needed == needed
  }

  private static func identity(_ owner: Owner, _ snapshot: HostSnapshot) -> UInt32? {
    switch owner {
    case .root: return 0
    case .mfa:
      guard case .success(let account) = snapshot.owner else { return nil }
      return account?.uid
    }
  }

  private static func wrong(_ required: Requirement, _ snapshot: HostSnapshot, _ reason: String)
    -> Finding
  {
    let mode = required.permissions.first ?? (required.kind == .folder ? 0o755 : 0o644)
    let owner = "\(required.owner)"
    let hint: String
    if reason.hasPrefix("is ") {
      hint =
        required.path == "\(InstalledPath.key)"
        ? "restore it from a backup as a regular file; with a new key all users have to enrol again"
        : "install mfa again: \(Installation.command)"
    } else if reason.hasSuffix("hard links") {
      hint = "remove the other links, which find / -xdev -samefile \(required.path) lists"
    } else if reason.contains(" bytes") {
      hint = "restore it from a backup; with a new key all users have to enrol again"
    } else {
      // The order matters: chown clears the setuid bit and the capability.
      hint =
        "chown \(owner):\(owner) \(required.path) && chmod \(PathStatus.text(mode)) \(required.path)"
        + (mode & 0o4000 != 0 ? " && setcap cap_audit_write=p \(required.path)" : "")
    }
    return Finding(
      severity: .error, code: "ownership", place: required.path,
      message: "\(reason): \(required.harm)", hint: hint)
  }

  // MARK: Several paths

  private static func dropIns(_ snapshot: HostSnapshot) -> [Finding] {
    let folder = "\(InstalledPath.dropIns)"
    let names: [String]
    do throws(AdminError) { names = try snapshot.host.names(in: folder) } catch {
      // The requirement for the folder itself reports this error.
      return []
    }
    return names.filter { $0.hasSuffix(".conf") && !$0.hasPrefix(".") }.sorted().compactMap {
      name in
      finding(
        Requirement(path: "\(folder)/\(name)", kind: .file, owner: .root, harm: denied), snapshot)
    }
  }

  private static func helper(_ snapshot: HostSnapshot) -> [Finding] {
    let path = "\(InstalledPath.programFolder)"
    return Finding.checking("the file system of the helper") { () throws(AdminError) in
      guard try snapshot.host.status(of: path) != nil,
        try snapshot.host.fileSystemSpace(at: path).ignoresSetuid
      else { return [] }
      return [
        Finding(
          severity: .error, code: "helper-nosuid", place: path,
          message: "is on a file system that is mounted nosuid: \(noEnrolling)",
          hint:
            "mount it without nosuid, or move \(InstalledPath.programFolder) to another file system"
        )
      ]
    }
  }

  /// Checks the users' files in one of the store's folders.
  private static func files(_ folder: StoreFile, _ snapshot: HostSnapshot) -> Finding? {
    let path = folder.path
    let names: [String]
    // The requirement for the folder reports that it is missing or a link.
    do throws(AdminError) { names = try snapshot.host.names(in: path) } catch {
      return .unchecked("the files in this folder", error)
    }
    var wrong: [(path: String, reason: String)] = []
    for name in names.sorted() {
      let required = Requirement(
        path: "\(path)/\(name)", kind: .file, owner: .mfa, permissions: [0o600], harm: "")
      do throws(AdminError) {
        // The file may have been removed since the folder was read.
        guard let status = try snapshot.host.status(of: required.path),
          let reason = reason(status, required, snapshot)
        else { continue }
        wrong.append((required.path, reason))
      } catch {
        wrong.append((required.path, "could not be checked: \(error.reason)"))
      }
    }
    guard let first = wrong.first else { return nil }
    let shown = wrong.map {
      VisibleText.escaping(Array($0.path.utf8.dropFirst(path.utf8.count + 1)))
    }
    return Finding(
      severity: .error, code: "ownership", place: VisibleText.escaping(first.path),
      message: "\(first.reason): the user cannot sign in"
        + (wrong.count > 1
          ? "; other affected files in \(path): "
            + NameList.text(Array(shown.dropFirst()), most: mostNamed) : ""),
      hint:
        "files in \(path) must belong to mfa, with mode 0600 and one hard link; if another user "
        + "could write to a file, revoke its user's factors: mfa-admin revoke USER --all")
  }

  // MARK: The module

  /// Returns the folders in which libpam may look for modules.
  static func moduleFolders(_ host: any ExaminedHost) throws(AdminError) -> [String] {
    let names = try host.names(in: "/usr/lib")
    return ["/usr/lib/security", "/usr/lib64/security"]
      + names.filter { $0.contains("-linux-") }.sorted().map { "/usr/lib/\($0)/security" }
  }

  private static func modules(_ snapshot: HostSnapshot) -> [Finding] {
    guard !snapshot.servicesWithModule.isEmpty else { return [] }
    let folders: [String]
    do throws(AdminError) { folders = try moduleFolders(snapshot.host) } catch {
      return [.unchecked("the location of the module", at: "/usr/lib", "cannot read the folder")]
    }
    var isThere = false
    var findings: [Finding] = []
    for folder in folders {
      let required = Requirement(
        path: "\(folder)/pam_mfa.so", kind: .file, owner: .root,
        harm: "any user who can write to it can sign in as any other user", isOptional: true)
      do throws(AdminError) {
        guard try snapshot.host.status(of: required.path) != nil else { continue }
        isThere = true
      } catch {
        findings.append(.unchecked("the module", error))
        continue
      }
      if let finding = finding(required, snapshot) { findings.append(finding) }
    }
    guard !isThere, findings.isEmpty else { return findings }
    let services = NameList.text(snapshot.servicesWithModule.map(\.visibleName))
    return [
      Finding(
        severity: .error, code: "no-module", place: folders.last ?? "/usr/lib",
        message: "pam_mfa.so is not installed: every sign-in at \(services) is denied",
        hint:
          "install mfa again (\(Installation.command)), or remove the pam_mfa.so lines from \(InstalledPath.services)"
      )
    ]
  }
}
