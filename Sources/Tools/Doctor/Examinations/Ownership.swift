import MFAAdmin
import MFABase
import MFAPAMStack

/// Checks the permissions, owners and types of the files on which sign-ins and enrolments depend.
enum Ownership: Examination {
  private static let denied = "sign-ins that require a code are denied"
  private static let noEnrolling = "no user can enrol"

  /// The maximum number of a folder's files that a message names.
  private static let mostNamed = 5

  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    let own = InstalledFile.configuration + InstalledFile.store
    let files = (snapshot.decides ? own : own.map(\.inRealm)) + InstalledFile.programs
    let owners = owners(snapshot)
    return files.filter { !$0.isOnlyRepaired }.compactMap { finding($0, snapshot, owners) }
      + dropIns(snapshot, owners) + helper(snapshot) + modules(snapshot, owners)
      + [StoreFile.factors, .attempts].compactMap { self.files($0, snapshot, owners) }
  }

  // MARK: One path

  private static func finding(
    _ required: InstalledFile, _ snapshot: HostSnapshot, _ owners: FileOwners
  ) -> Finding? {
    do throws(AdminError) {
      guard let status = try snapshot.host.status(of: required.path) else {
        return required.isOptional ? nil : required.finding("is missing")
      }
      return required.violation(status, owners).map { required.finding($0) }
    } catch {
      return .unchecked("the owner and permissions", error)
    }
  }

  private static func owners(_ snapshot: HostSnapshot) -> FileOwners {
    guard case .success(let account) = snapshot.owner else { return FileOwners(mfa: (nil, nil)) }
    return FileOwners(mfa: (account?.uid, snapshot.host.decidersGroup))
  }

  // MARK: Several paths

  private static func dropIns(_ snapshot: HostSnapshot, _ owners: FileOwners) -> [Finding] {
    let folder = "\(InstalledPath.dropIns)"
    let names: [String]
    do throws(AdminError) { names = try snapshot.host.names(in: folder) } catch {
      // The requirement for the folder itself reports this error.
      return []
    }
    return names.filter { $0.hasSuffix(".conf") && !$0.hasPrefix(".") }.sorted().compactMap {
      name in
      finding(
        InstalledFile(path: "\(folder)/\(name)", kind: .file, owner: .root, harm: denied), snapshot,
        owners)
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
  private static func files(
    _ folder: StoreFile, _ snapshot: HostSnapshot, _ owners: FileOwners
  ) -> Finding? {
    let path = folder.path
    let names: [String]
    // The requirement for the folder reports that it is missing or a link.
    do throws(AdminError) { names = try snapshot.host.names(in: path) } catch {
      return .unchecked("the files in this folder", error)
    }
    var wrong: [(path: String, reason: String)] = []
    for name in names.sorted() {
      let required = InstalledFile(
        path: "\(path)/\(name)", kind: .file, owner: .mfa, permissions: [0o600], harm: "")
      do throws(AdminError) {
        // The file may have been removed since the folder was read.
        guard let status = try snapshot.host.status(of: required.path),
          let reason = required.violation(status, owners)
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
      message: "\(first.reason): "
        + (snapshot.decides ? "the user cannot sign in" : InstalledFile.harmInRealm)
        + (wrong.count > 1
          ? "; other affected files in \(path): "
            + NameList.text(Array(shown.dropFirst()), most: mostNamed) : ""),
      hint:
        "correct owners and modes: mfa-admin repair; if another user could write to a file, revoke its user's "
        + "factors: mfa-admin revoke USER --all")
  }

  // MARK: The module

  /// Returns the folders in which libpam may look for modules.
  static func moduleFolders(_ host: any ExaminedHost) throws(AdminError) -> [String] {
    let names = try host.names(in: "/usr/lib")
    return ["/usr/lib/security", "/usr/lib64/security"]
      + names.filter { $0.contains("-linux-") }.sorted().map { "/usr/lib/\($0)/security" }
  }

  private static func modules(_ snapshot: HostSnapshot, _ owners: FileOwners) -> [Finding] {
    guard !snapshot.servicesWithModule.isEmpty else { return [] }
    let folders: [String]
    do throws(AdminError) { folders = try moduleFolders(snapshot.host) } catch {
      return [.unchecked("the location of the module", at: "/usr/lib", "cannot read the folder")]
    }
    var isThere = false
    var findings: [Finding] = []
    for folder in folders {
      let required = InstalledFile(
        path: "\(folder)/pam_mfa.so", kind: .file, owner: .root,
        harm: "any user who can write to it can sign in as any other user", isOptional: true)
      do throws(AdminError) {
        guard try snapshot.host.status(of: required.path) != nil else { continue }
        isThere = true
      } catch {
        findings.append(.unchecked("the module", error))
        continue
      }
      if let finding = finding(required, snapshot, owners) { findings.append(finding) }
    }
    guard !isThere, findings.isEmpty else { return findings }
    let services = NameList.text(snapshot.servicesWithModule.map(\.visibleName))
    return [
      Finding(
        severity: .error, code: "no-module", place: folders.last ?? "/usr/lib",
        message: "pam_mfa.so is not installed: every sign-in at \(services) is denied",
        hint:
          "install mfa again: \(Installation.command); or remove the pam_mfa.so lines from \(InstalledPath.services)"
      )
    ]
  }
}

extension InstalledFile {
  /// Returns the finding for a violation, or for a file that is missing.
  func finding(_ reason: String) -> Finding {
    Finding(
      severity: .error, code: "ownership", place: VisibleText.escaping(path),
      message: "\(reason): \(harm)", hint: hint(reason))
  }

  private func hint(_ reason: String) -> String {
    if reason == "is missing", isRepairable, path != "\(InstalledPath.key)" {
      return
        "put it back from a backup: mfa-admin restore-backup FILE; what it means to go on without it: "
        + "mfa-admin adopt-store"
    }
    if reason.hasPrefix("is ") {
      return path == "\(InstalledPath.key)"
        ? "restore it from a backup as a regular file; with a new key all users have to enrol again"
        : "install mfa again: \(Installation.command)"
    }
    if reason.contains("hard links") {
      return
        "remove the other links: find / -xdev -samefile \(VisibleText.escaping(path))"
    }
    if reason.contains(" bytes") {
      return "restore it from a backup; with a new key all users have to enrol again"
    }
    if isRepairable { return "mfa-admin repair" }
    let mode = permissions.first ?? (kind == .folder ? 0o755 : 0o644)
    // The order matters: chown clears the setuid bit and the capability.
    return
      "chown \(owner.rawValue):\(owner.rawValue) \(path) && chmod \(PathStatus.text(mode)) \(path)"
      + (mode & 0o4000 != 0 ? " && setcap cap_audit_write=p \(path)" : "")
  }
}
