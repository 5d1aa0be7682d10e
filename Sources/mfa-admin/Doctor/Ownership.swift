import PAMStack
import System

/// Permissions, owners and kinds of all that an installation consists of.
enum Ownership: Examination {
  /// What must stand at a path.
  struct Requirement {
    let path: String
    let kind: PathStatus.Kind
    /// Whom it belongs to.
    let owner: Owner
    /// The permissions that it may have, the usual ones first; empty where nobody else may write, and
    /// all must be able to read.
    var permissions: [UInt32] = []
    /// Its size, where there is but one.
    var size: Int64?
    /// What comes of it, where it is otherwise.
    let harm: String
    /// Whether it may be absent.
    var isOptional = false
  }

  enum Owner { case root, mfa }

  private static let denied = "every sign-in that is asked for a code is denied"
  private static let noEnrolling = "nobody can enrol"
  private static let noChange =
    "nobody can enrol, and no recovery or bypass code is accepted, for nothing can be entered"

  /// All but the files of the store and the module.
  static let requirements = [
    Requirement(path: "/etc/mfa", kind: .folder, owner: .root, harm: denied),
    Requirement(
      path: "/etc/mfa/mfa.conf", kind: .file, owner: .root, harm: denied, isOptional: true),
    Requirement(
      path: "/etc/mfa/mfa.conf.d", kind: .folder, owner: .root, harm: denied, isOptional: true),
    Requirement(
      path: "/usr/lib/mfa/mfa.conf", kind: .file, owner: .root, harm: denied, isOptional: true),
    Requirement(
      path: "/etc/mfa/key", kind: .file, owner: .mfa, permissions: [0o400], size: 32,
      harm: "no factor can be used"),
    Requirement(
      path: "/var/lib/mfa", kind: .folder, owner: .mfa, permissions: [0o700, 0o2700], harm: denied),
    Requirement(
      path: "/var/lib/mfa/factors", kind: .folder, owner: .mfa, permissions: [0o2700, 0o700],
      harm: denied),
    Requirement(
      path: "/var/lib/mfa/attempts", kind: .folder, owner: .mfa, permissions: [0o2700, 0o700],
      harm: denied),
    Requirement(
      path: "/var/lib/mfa/ledger", kind: .file, owner: .mfa, permissions: [0o600],
      harm: noChange, isOptional: true),
    Requirement(
      path: "/var/lib/mfa/ledger.head", kind: .file, owner: .mfa, permissions: [0o600],
      harm: noChange, isOptional: true),
    Requirement(path: "/usr/lib/mfa", kind: .folder, owner: .root, harm: noEnrolling),
    Requirement(
      path: "/usr/lib/mfa/mfa-helper", kind: .file, owner: .mfa, permissions: [0o6755, 0o4755],
      harm: noEnrolling),
    Requirement(path: "/etc/pam.d/mfa-enroll", kind: .file, owner: .root, harm: noEnrolling),
  ]

  /// How many files of a folder are named.
  private static let mostNamed = 5

  static func findings(on chart: Chart) -> [Finding] {
    requirements.compactMap { finding($0, chart) } + dropIns(chart) + helper(chart)
      + modules(chart) + ["factors", "attempts"].compactMap { files($0, chart) }
  }

  // MARK: One path

  private static func finding(_ required: Requirement, _ chart: Chart) -> Finding? {
    let status: PathStatus
    do throws(SystemError) {
      guard let found = try chart.host.status(of: required.path) else {
        guard !required.isOptional else { return nil }
        return wrong(required, chart, "is not there")
      }
      status = found
    } catch {
      return .unchecked("its owner and permissions", at: required.path, error.text)
    }
    guard let reason = reason(status, required, chart) else { return nil }
    return wrong(required, chart, reason)
  }

  /// What is the matter with what stands at a path; nil for nothing.
  private static func reason(
    _ status: PathStatus, _ required: Requirement, _ chart: Chart
  ) -> String? {
    guard status.kind == required.kind else {
      return "is a \(status.kind.rawValue), and should be a \(required.kind.rawValue)"
    }
    if let owner = identity(required.owner, chart), status.owner != owner {
      return "belongs to the user \(status.owner), and should belong to \(required.owner)"
    }
    let text = PathStatus.text(status.permissions)
    if required.permissions.isEmpty {
      guard status.permissions & 0o022 == 0 else {
        return "has the mode \(text): others than root can write to it"
      }
      let needed: UInt32 = required.kind == .folder ? 0o555 : 0o444
      guard status.permissions & needed == needed else {
        return "has the mode \(text): the helper cannot read it"
      }
    } else if !required.permissions.contains(status.permissions) {
      return "has the mode \(text), and should have \(PathStatus.text(required.permissions[0]))"
    }
    if required.kind == .file, status.links != 1 { return "has \(status.links) names" }
    if let size = required.size, status.size != size {
      return "has \(status.size) bytes, and should have \(size)"
    }
    return nil
  }

  private static func identity(_ owner: Owner, _ chart: Chart) -> UInt32? {
    switch owner {
    case .root: return 0
    case .mfa:
      guard case .success(let account) = chart.owner else { return nil }
      return account?.uid
    }
  }

  private static func wrong(_ required: Requirement, _ chart: Chart, _ reason: String) -> Finding {
    let mode = required.permissions.first ?? (required.kind == .folder ? 0o755 : 0o644)
    let owner = "\(required.owner)"
    let hint: String
    if reason.hasPrefix("is ") {
      hint =
        required.path == "/etc/mfa/key"
        ? "put it back from the backup, as a file: with a new key everybody has to enrol anew"
        : "packaging/install puts it in its place"
    } else if reason.hasSuffix("names") {
      hint = "find / -xdev -samefile \(required.path) shows them: remove the others"
    } else if reason.contains(" bytes") {
      hint = "put it back from the backup: with a new key everybody has to enrol anew"
    } else {
      // In this order, for a change of owner takes the setuid bit away, and the capability.
      hint =
        "chown \(owner):\(owner) \(required.path) && chmod \(PathStatus.text(mode)) \(required.path)"
        + (mode & 0o4000 != 0 ? " && setcap cap_audit_write=p \(required.path)" : "")
    }
    return Finding(
      severity: .error, code: "ownership", place: required.path,
      message: "\(reason): \(required.harm)", hint: hint)
  }

  // MARK: Several

  private static func dropIns(_ chart: Chart) -> [Finding] {
    let folder = "/etc/mfa/mfa.conf.d"
    let names: [String]
    do throws(TrustedPath.Refusal) {
      names = try chart.host.names(in: folder)
    } catch {
      // What is wrong with the folder itself is told already.
      return []
    }
    return names.filter { $0.hasSuffix(".conf") && !$0.hasPrefix(".") }.sorted().compactMap {
      name in
      finding(
        Requirement(path: "\(folder)/\(name)", kind: .file, owner: .root, harm: denied), chart)
    }
  }

  private static func helper(_ chart: Chart) -> [Finding] {
    let path = "/usr/lib/mfa"
    do throws(SystemError) {
      guard try chart.host.status(of: path) != nil, try chart.host.room(at: path).ignoresSetuid
      else {
        return []
      }
    } catch {
      return [.unchecked("the file system of the helper", at: path, error.text)]
    }
    return [
      Finding(
        severity: .error, code: "helper-nosuid", place: path,
        message: "is on a file system that is mounted nosuid: \(noEnrolling)",
        hint: "mount it without nosuid, or have /usr/lib/mfa on another")
    ]
  }

  /// The files of the store in one of its folders.
  private static func files(_ folder: String, _ chart: Chart) -> Finding? {
    let path = "/var/lib/mfa/\(folder)"
    let names: [String]
    do throws(TrustedPath.Refusal) {
      names = try chart.host.names(in: path)
    } catch {
      switch error {
      // That it is not there, or a link, is told already.
      case .system(let error) where error.isNotFound || error.isNotADirectory: return nil
      case .system(let error): return .unchecked("the files in it", at: path, error.text)
      case .untrusted(let distrust):
        return .unchecked("the files in it", at: path, "not trusted: \(distrust.name)")
      }
    }
    var wrong: [(path: String, reason: String)] = []
    for name in names.sorted() {
      let required = Requirement(
        path: "\(path)/\(name)", kind: .file, owner: .mfa, permissions: [0o600], harm: "")
      do throws(SystemError) {
        // It may have gone meanwhile.
        guard let status = try chart.host.status(of: required.path),
          let reason = reason(status, required, chart)
        else { continue }
        wrong.append((required.path, reason))
      } catch {
        wrong.append((required.path, "could not be checked: \(error.text)"))
      }
    }
    guard let first = wrong.first else { return nil }
    let shown = wrong.map {
      VisibleText.escaping(Array($0.path.utf8.dropFirst(path.utf8.count + 1)))
    }
    return Finding(
      severity: .error, code: "ownership", place: VisibleText.escaping(first.path),
      message: "\(first.reason): whose it is cannot sign in"
        + (wrong.count > 1
          ? "; so it is with others in \(path): "
            + Chart.list(Array(shown.dropFirst()), most: mostNamed) : ""),
      hint:
        "files in \(path) belong to mfa, with mode 0600 and one name; if somebody else could write "
        + "to one, revoke what it holds: mfa-admin revoke USER --all")
  }

  // MARK: The module

  /// Folders in which libpam may look for modules.
  private static func moduleFolders(_ host: any ExaminedHost) -> Result<
    [String], TrustedPath.Refusal
  > {
    do throws(TrustedPath.Refusal) {
      let names = try host.names(in: "/usr/lib")
      return .success(
        ["/usr/lib/security", "/usr/lib64/security"]
          + names.filter { $0.contains("-linux-") }.sorted().map { "/usr/lib/\($0)/security" })
    } catch {
      return .failure(error)
    }
  }

  private static func modules(_ chart: Chart) -> [Finding] {
    guard !chart.asked.isEmpty else { return [] }
    let folders: [String]
    switch moduleFolders(chart.host) {
    case .success(let found): folders = found
    case .failure:
      return [.unchecked("where the module is", at: "/usr/lib", "the folder cannot be read")]
    }
    var isThere = false
    var findings: [Finding] = []
    for folder in folders {
      let required = Requirement(
        path: "\(folder)/pam_mfa.so", kind: .file, owner: .root,
        harm: "whoever can write to it signs in as anybody", isOptional: true)
      do throws(SystemError) {
        guard try chart.host.status(of: required.path) != nil else { continue }
        isThere = true
      } catch {
        findings.append(.unchecked("the module", at: required.path, error.text))
        continue
      }
      if let finding = finding(required, chart) { findings.append(finding) }
    }
    guard !isThere, findings.isEmpty else { return findings }
    let services = Chart.list(chart.asked.map(\.visibleName))
    return [
      Finding(
        severity: .error, code: "no-module", place: folders.last ?? "/usr/lib",
        message: "there is no pam_mfa.so: every sign-in at \(services) is denied",
        hint: "packaging/install, or take its lines out of /etc/pam.d")
    ]
  }
}
