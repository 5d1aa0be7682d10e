import MFAAdminTestSupport
import MFABase
import Testing

@testable import MFADoctor

@Suite struct ResolvedPathTests {
  struct Row: CustomTestStringConvertible {
    let number: Int
    let path: String
    var links: [String: String] = [:]
    var files: [String: PathStatus] = [:]
    var distrust: TrustFailure?
    var isPublic = false
    var testDescription: String { "\(number)" }
  }

  static let base: [String: PathStatus] = [
    "/": MemoryHost.folder(0, 0o755), "/etc": MemoryHost.folder(0, 0o755),
    "/tmp": MemoryHost.folder(0, 0o1777), "/root": MemoryHost.folder(0, 0o700),
    "/home": MemoryHost.folder(0, 0o755), "/home/a": MemoryHost.folder(1000, 0o755),
  ]

  static func link(_ owner: UInt32) -> PathStatus {
    PathStatus(kind: .link, owner: owner, permissions: 0o777)
  }

  static let rows = [
    Row(number: 1, path: "/etc/x", files: ["/etc/x": MemoryHost.file(0, 0o644)], isPublic: true),
    Row(number: 2, path: "/etc/x", files: ["/etc/x": MemoryHost.file(0, 0o640)]),
    // Nothing there: root's folder.
    Row(number: 3, path: "/etc/x"),
    Row(number: 4, path: "/tmp/x", distrust: .wrongPermissions),
    Row(number: 5, path: "/home/a/x", distrust: .wrongOwner),
    Row(
      number: 6, path: "/etc/x", files: ["/etc/x": MemoryHost.file(1000, 0o644)],
      distrust: .wrongOwner),
    Row(
      number: 7, path: "/etc/x", files: ["/etc/x": MemoryHost.file(0, 0o666)],
      distrust: .wrongPermissions, isPublic: true),
    // A private folder hides a public file.
    Row(number: 8, path: "/root/x", files: ["/root/x": MemoryHost.file(0, 0o644)]),
    Row(
      number: 9, path: "/etc/x",
      files: ["/etc/x": PathStatus(kind: .other, owner: 0, permissions: 0o644)]
    ),
    Row(
      number: 10, path: "/etc/x", links: ["/etc/x": "y"],
      files: ["/etc/x": link(0), "/etc/y": MemoryHost.file(0, 0o644)], isPublic: true),
    Row(
      number: 11, path: "/etc/x", links: ["/etc/x": "/home/a/x"],
      files: ["/etc/x": link(0), "/home/a/x": MemoryHost.file(0, 0o644)], distrust: .wrongOwner,
      isPublic: true),
    // A link in a user's folder to a file of root.
    Row(
      number: 12, path: "/home/a/x", links: ["/home/a/x": "../../etc/y"],
      files: ["/home/a/x": link(1000), "/etc/y": MemoryHost.file(0, 0o644)],
      distrust: .wrongOwner, isPublic: true),
    Row(
      number: 13, path: "/etc/x", links: ["/etc/x": "x"], files: ["/etc/x": link(0)],
      distrust: .symbolicLink),
    Row(number: 14, path: "/etc/x", files: ["/etc/x": link(0)], distrust: .symbolicLink),
    Row(number: 15, path: "etc/x", distrust: .notARegularFile),
    Row(number: 16, path: "", distrust: .notARegularFile),
    Row(
      number: 17, path: "/etc/./../etc//x", files: ["/etc/x": MemoryHost.file(0, 0o644)],
      isPublic: true),
    Row(number: 18, path: "/etc"),
  ]

  @Test("who can have chosen what is at a path, and who can read it", arguments: rows)
  func row(row: Row) {
    var host = MemoryHost()
    host.statuses = Self.base.merging(row.files) { $1 }
    host.links = row.links
    let path = ResolvedPath(row.path, on: host)
    #expect(path.distrust == row.distrust)
    #expect(path.isPublic == row.isPublic)
  }

  @Test("a place where looking can hang is not looked at")
  func distantPlace() {
    var host = MemoryHost()
    host.statuses = Self.base.merging([
      "/home/a/.ssh": Self.link(1000), "/far/keys": MemoryHost.file(1000, 0o600),
    ]) { $1 }
    host.links = ["/home/a/.ssh": "/far"]
    var seen: [String] = []
    let path = ResolvedPath("/home/a/.ssh/keys", on: host) { path in
      seen.append(path)
      return !path.hasPrefix("/far")
    }
    #expect(path.end == nil && seen == ["/home", "/home/a", "/home/a/.ssh", "/far"])
  }
}
