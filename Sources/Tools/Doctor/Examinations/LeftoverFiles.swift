import MFAAdmin
import MFABase

/// Finds google-authenticator files in home directories. Each contains a secret that every program
/// run by the user can read.
///
/// MUST 1: the files are never opened. (only `ExaminedHost.status` is used)
/// MUST 2: file systems on which a lookup can hang are never accessed. (`ExaminationTests`)
enum LeftoverFiles: Examination {
  private static let name = ".google_authenticator"

  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    let accounts: [KnownAccount]
    switch snapshot.accounts {
    case .success(let found): accounts = found
    case .failure(let error):
      return [
        .unchecked("home directories for google-authenticator files", at: "/etc/passwd", error.text)
      ]
    }
    let mountList = "/proc/self/mountinfo"
    let mounts: MountTable
    do throws(TrustedPath.Refusal) {
      guard let text = try snapshot.host.text(of: mountList) else {
        return [
          .unchecked(
            "home directories for google-authenticator files", at: mountList,
            "the file does not exist")
        ]
      }
      mounts = MountTable(text)
    } catch {
      return [
        .unchecked("home directories for google-authenticator files", at: mountList, error.text)
      ]
    }
    var found: [(user: String, path: String)] = []
    var skipped: [(user: String, reason: String)] = []
    for account in accounts where account.isPersonal && account.home.first == UInt8(ascii: "/") {
      let user = VisibleText.escaping(account.account.name)
      switch look(account.home, mounts, snapshot.host) {
      case .nothing: continue
      case .file(let path): found.append((user, path))
      case .skipped(let reason): skipped.append((user, reason))
      }
    }
    return [leftovers(found, snapshot), unseen(skipped)].compactMap { $0 }
  }

  private enum Look {
    case nothing
    case file(String)
    case skipped(String)
  }

  /// Looks for the file in a home directory. Checks each folder from the root on, so that no
  /// symbolic link leads to a file system on which a lookup can hang.
  private static func look(_ home: [UInt8], _ mounts: MountTable, _ host: any ExaminedHost) -> Look
  {
    var path: [UInt8] = []
    let parts = home.split(separator: UInt8(ascii: "/")) + [Array(name.utf8)[...]]
    for (index, part) in parts.enumerated() {
      path += [UInt8(ascii: "/")] + part
      if let kind = mounts.distantKind(of: path) { return .skipped("on \(kind)") }
      let text = String(decoding: path, as: UTF8.self)
      guard Array(text.utf8) == path else { return .skipped("its path is not UTF-8") }
      do throws(SystemError) {
        guard let status = try host.status(of: text) else { return .nothing }
        if index == parts.count - 1 { return .file(VisibleText.escaping(path)) }
        switch status.kind {
        case .folder: continue
        case .link: return .skipped("behind a symbolic link")
        case .file, .other: return .nothing
        }
      } catch {
        return .skipped(error.text)
      }
    }
    return .nothing
  }

  private static func leftovers(_ found: [(user: String, path: String)], _ snapshot: HostSnapshot)
    -> Finding?
  {
    guard let first = found.first else { return nil }
    return Finding(
      severity: .warning, code: "left-over-files", place: first.path,
      message:
        "google-authenticator files of \(NameList.text(found.map(\.user))): any program that runs as "
        + "one of these users can read the secret and generate codes",
      hint: "import them: mfa-admin import --google-authenticator DIR; then, if no stack uses "
        + "pam_google_authenticator.so, remove the files")
  }

  private static func unseen(_ skipped: [(user: String, reason: String)]) -> Finding? {
    guard !skipped.isEmpty else { return nil }
    return Finding(
      severity: .note, code: "homes-not-looked-at", place: "/etc/passwd",
      message: "the home directories of "
        + "\(NameList.text(skipped.map { "\($0.user) (\($0.reason))" })) were not checked for "
        + "google-authenticator files",
      hint: "check on the file server, or as each user: ls -l ~/\(name)")
  }
}
