import MFAAdmin
import MFABase
import MFAAttempt

/// Finds files among the configuration's drop-ins that are not read because of their names.
enum IgnoredDropIns: Examination {
  private static let folder = "\(InstalledPath.dropIns)"

  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    let names: [String]
    do throws(TrustedPath.Refusal) { names = try snapshot.host.names(in: folder) } catch {
      // `Ownership` reports a folder that cannot be used.
      return []
    }
    return names.filter { !ConfigurationFile.isDropIn(Array($0.utf8)) }.sorted().map { name in
      Finding(
        severity: .warning, code: "drop-in-ignored",
        place: "\(folder)/\(VisibleText.escaping(name))",
        message: "is not read, so its settings do not apply: the name must consist of letters, "
          + "digits, dots, underscores and hyphens, not begin with a dot, and end in .conf",
        hint: "rename it, or move it out of this folder")
    }
  }
}
