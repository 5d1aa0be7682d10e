import MFAAdmin
import MFABase

extension Repair {
  /// A file or folder whose owner, group or permissions are corrected.
  package struct Change: Equatable {
    /// The path.
    let path: String
    /// Before the change.
    let old: PathStatus
    /// After the change.
    let new: PathStatus

    /// The change in one line, such as `/etc/mfa/key: owner root:root -> mfa:mfa, mode 0644 -> 0400`.
    package var text: String {
      var parts: [String] = []
      if (old.owner, old.group) != (new.owner, new.group) {
        parts.append("owner \(Self.name(of: old)) -> \(Self.name(of: new))")
      }
      if old.permissions != new.permissions {
        parts.append(
          "mode \(PathStatus.text(old.permissions)) -> \(PathStatus.text(new.permissions))")
      }
      return "\(VisibleText.escaping(path)): " + parts.joined(separator: ", ")
    }

    /// Returns the names of the owner and the group, or their numbers where no account has them.
    private static func name(of status: PathStatus) -> String {
      "\(Self.name(ofUser: status.owner)):\(Self.name(ofGroup: status.group))"
    }

    static func name(ofUser id: UInt32) -> String {
      let account: Account?
      do throws(SystemError) { account = try Account.with(uid: id) } catch { account = nil }
      return account.map { VisibleText.escaping($0.name) } ?? String(id)
    }

    private static func name(ofGroup id: UInt32) -> String {
      let name: [UInt8]?
      do throws(SystemError) { name = try Account.groupName(of: id) } catch { name = nil }
      return name.map { VisibleText.escaping($0) } ?? String(id)
    }
  }
}

extension InstalledFile {
  /// Returns what else to do after a change, because others could read or write the file before it.
  func warning(_ old: PathStatus, _ new: PathStatus) -> Finding? {
    let isOthers = old.owner != new.owner && old.owner != 0
    // A group that had to be changed, except for that of root.
    let groups: UInt32 = old.group != new.group && old.group != 0 ? 0o070 : 0
    let exposed = old.permissions & (0o007 | groups)
    let isReadable = isOthers || exposed & 0o044 != 0
    let isWritable = isOthers || exposed & 0o022 != 0
    func warning(_ what: String, _ hint: String) -> Finding {
      let who =
        isOthers ? "the user \(Repair.Change.name(ofUser: old.owner))" : "other users"
      return Finding(
        severity: .warning, code: "ownership", place: path, message: "\(who) could \(what)",
        hint: hint)
    }
    switch path {
    case "\(InstalledPath.key)" where isReadable:
      return warning(
        "read the key, and open a copy of the records", "make a new key: mfa-admin rekey")
    case "\(InstalledPath.breakGlass)" where isReadable:
      return warning(
        "read the hash of the break-glass code", "make a new code: mfa-admin break-glass USER")
    case _ where isWritable && owner == .root && kind == .file:
      return warning("change this file", "check what it says: cat \(VisibleText.escaping(path))")
    case "\(InstalledPath.store)" where isWritable:
      return warning(
        "remove and replace records",
        "check them, and that no earlier copy was put there: mfa-admin audit-log verify")
    case _: return nil
    }
  }
}
