import System

/// Files of google-authenticator in people's folders: a secret that its owner, and what runs as the
/// owner, can read.
///
/// MUST 1: no such file is opened. (`ExaminedHost.status` is all that is asked)
/// MUST 2: nothing is looked at that is on a file system where that can hang. (`ExaminationTests`)
enum LeftoverFiles: Examination {
  private static let name = ".google_authenticator"

  static func findings(on chart: Chart) -> [Finding] {
    let accounts: [KnownAccount]
    switch chart.accounts {
    case .success(let found): accounts = found
    case .failure(let error):
      return [
        .unchecked("files that are left over in people's folders", at: "/etc/passwd", error.text)
      ]
    }
    let mountList = "/proc/self/mountinfo"
    let mounts: MountTable
    do throws(SystemError) {
      guard let text = try chart.host.text(of: mountList) else {
        return [
          .unchecked("files that are left over in people's folders", at: mountList, "is not there")
        ]
      }
      mounts = MountTable(text)
    } catch {
      return [.unchecked("files that are left over in people's folders", at: mountList, error.text)]
    }
    var found: [(user: String, path: String)] = []
    var skipped: [(user: String, reason: String)] = []
    for account in accounts where account.isPersonal && account.home.first == UInt8(ascii: "/") {
      let user = VisibleText.escaping(account.account.name)
      switch look(account.home, mounts, chart.host) {
      case .nothing: continue
      case .file(let path): found.append((user, path))
      case .skipped(let reason): skipped.append((user, reason))
      }
    }
    return [leftovers(found, chart), unseen(skipped)].compactMap { $0 }
  }

  private enum Look {
    case nothing
    case file(String)
    case skipped(String)
  }

  /// Looks from the root folder on, so that no link leads to where a look can hang.
  private static func look(_ home: [UInt8], _ mounts: MountTable, _ host: any ExaminedHost) -> Look
  {
    var path: [UInt8] = []
    let parts = home.split(separator: UInt8(ascii: "/")) + [Array(name.utf8)[...]]
    for (index, part) in parts.enumerated() {
      path += [UInt8(ascii: "/")] + part
      if let kind = mounts.distantKind(of: path) { return .skipped("on \(kind)") }
      let text = String(decoding: path, as: UTF8.self)
      guard Array(text.utf8) == path else { return .skipped("its name is no UTF-8") }
      do throws(SystemError) {
        guard let status = try host.status(of: text) else { return .nothing }
        if index == parts.count - 1 { return .file(VisibleText.escaping(path)) }
        switch status.kind {
        case .folder: continue
        case .link: return .skipped("behind a link")
        case .file, .other: return .nothing
        }
      } catch {
        return .skipped(error.text)
      }
    }
    return .nothing
  }

  private static func leftovers(_ found: [(user: String, path: String)], _ chart: Chart) -> Finding?
  {
    guard let first = found.first else { return nil }
    return Finding(
      severity: .warning, code: "left-over-files", place: first.path,
      message:
        "files of google-authenticator of \(Chart.list(found.map(\.user))): whatever runs as one "
        + "of them can read a secret there, and make codes of it",
      hint: "take them over: mfa-admin import --google-authenticator DIR; then, if no stack asks "
        + "pam_google_authenticator.so, remove the files")
  }

  private static func unseen(_ skipped: [(user: String, reason: String)]) -> Finding? {
    guard !skipped.isEmpty else { return nil }
    return Finding(
      severity: .note, code: "homes-not-looked-at", place: "/etc/passwd",
      message: "the folders of \(Chart.list(skipped.map { "\($0.user) (\($0.reason))" })) were not "
        + "looked at for files of google-authenticator",
      hint: "look on the server, or as each of them: ls -l ~/\(name)")
  }
}
