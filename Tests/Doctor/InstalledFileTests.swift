import MFAAdminTestSupport
import Testing

@testable import MFADoctor

/// What `mfa-admin repair` makes of owners and permissions.
@Suite struct InstalledFileTests {
  static let owners = FileOwners(mfa: (999, 998), gateway: (997, 996))

  struct Row: CustomTestStringConvertible {
    let path: String
    /// The owner, the group and the permissions before and after.
    let before: (UInt32, UInt32, UInt32)
    let after: (UInt32, UInt32, UInt32)
    var testDescription: String { "\(path) \(String(before.2, radix: 8)) \(before.0):\(before.1)" }
  }

  static let rows = [
    Row(path: "/etc/mfa", before: (65534, 65534, 0o755), after: (0, 0, 0o755)),
    Row(path: "/etc/mfa", before: (0, 0, 0o700), after: (0, 0, 0o755)),
    Row(path: "/etc/mfa", before: (0, 998, 0o750), after: (0, 998, 0o750)),
    Row(path: "/etc/mfa", before: (0, 0, 0o777), after: (0, 0, 0o755)),
    Row(path: "/etc/mfa/mfa.conf", before: (0, 0, 0o644), after: (0, 0, 0o644)),
    Row(path: "/etc/mfa/mfa.conf", before: (65534, 65534, 0o644), after: (0, 0, 0o644)),
    Row(path: "/etc/mfa/mfa.conf", before: (0, 998, 0o640), after: (0, 998, 0o640)),
    // What not every user could read stays so.
    Row(path: "/etc/mfa/mfa.conf", before: (0, 0, 0o640), after: (0, 998, 0o640)),
    Row(path: "/etc/mfa/mfa.conf", before: (65534, 65534, 0o600), after: (0, 998, 0o640)),
    Row(path: "/etc/mfa/mfa.conf", before: (0, 0, 0o777), after: (0, 0, 0o644)),
    Row(path: "/etc/mfa/mfa.conf", before: (0, 0, 0), after: (0, 998, 0o640)),
    Row(path: "/etc/mfa/mfa.conf.d/a.conf", before: (1000, 1000, 0o664), after: (0, 0, 0o644)),
    Row(path: "/etc/mfa/key", before: (65534, 65534, 0o400), after: (999, 998, 0o400)),
    Row(path: "/etc/mfa/key", before: (999, 0, 0o444), after: (999, 0, 0o400)),
    Row(path: "/etc/mfa/break-glass", before: (0, 0, 0o644), after: (0, 998, 0o640)),
    Row(path: "/etc/mfa/gateway.conf", before: (0, 0, 0o400), after: (997, 996, 0o400)),
    Row(path: "/etc/mfa/changes", before: (0, 0, 0o755), after: (0, 0, 0o700)),
    Row(path: "/etc/mfa/changes/sshd", before: (999, 0, 0o644), after: (0, 0, 0o600)),
    Row(path: "/var/lib/mfa", before: (0, 0, 0o755), after: (999, 998, 0o700)),
    Row(path: "/var/lib/mfa", before: (999, 998, 0o2700), after: (999, 998, 0o2700)),
    Row(path: "/var/lib/mfa/factors", before: (0, 0, 0o755), after: (999, 998, 0o2700)),
    Row(path: "/var/lib/mfa/factors/a", before: (0, 998, 0o6777), after: (999, 998, 0o600)),
    Row(path: "/var/lib/mfa/audit-log.head", before: (999, 0, 0o600), after: (999, 0, 0o600)),
    Row(path: "/var/lib/mfa/audit-log.head", before: (999, 5, 0o600), after: (999, 998, 0o600)),
    Row(path: "/var/lib/mfa/audit-log", before: (0, 0, 0o644), after: (999, 998, 0o600)),
  ]

  private func required(_ path: String) throws -> InstalledFile {
    let all = InstalledFile.configuration + InstalledFile.store
    if let file = all.first(where: { $0.path == path }) { return file }
    let parts = path.split(separator: "/").map { String($0) }
    let folder = "/" + parts.dropLast().joined(separator: "/")
    let parent = try #require(all.first { $0.path == folder })
    return try #require(parent.file(named: parts[parts.count - 1]))
  }

  @Test("wrong owners and permissions are corrected, and right ones stay", arguments: rows)
  func corrected(row: Row) throws {
    let file = try required(row.path)
    let status = PathStatus(
      kind: file.kind, owner: row.before.0, permissions: row.before.2, size: file.size ?? 1,
      group: row.before.1)
    let new = try #require(file.corrected(status, Self.owners))
    #expect((new.owner, new.group, new.permissions) == row.after)
    #expect(file.violation(new, Self.owners) == nil)
    #expect(file.corrected(new, Self.owners) == new)
  }

  @Test("without the account of an owner, nothing is corrected")
  func unknownOwner() throws {
    let file = try required("/etc/mfa/gateway.conf")
    let status = PathStatus(kind: .file, owner: 0, permissions: 0o400)
    #expect(file.corrected(status, FileOwners(mfa: (999, 998))) == nil)
  }

  @Test("a change is told in one line")
  func text() {
    let old = PathStatus(kind: .file, owner: 0, permissions: 0o644, group: 4_000_000_001)
    var new = old
    new.group = 0
    #expect(
      Repair.Change(path: "/a", old: old, new: new).text
        == "/a: owner root:4000000001 -> root:root")
    new.permissions = 0o400
    #expect(
      Repair.Change(path: "/a", old: old, new: new).text
        == "/a: owner root:4000000001 -> root:root, mode 0644 -> 0400")
  }
}
