import MFABase

/// Finds a store or key that is lost when the machine restarts.
enum VolatileStore: Examination {
  private static let mountList = "/proc/self/mountinfo"
  /// File systems in memory. A container's overlay is not among them: it may be kept.
  private static let kinds = ["tmpfs", "ramfs", "devtmpfs"]

  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    do throws(TrustedPath.Refusal) {
      // `LeftoverFiles` reports a missing list.
      guard let text = try snapshot.host.text(of: mountList) else { return [] }
      let mounts = MountTable(text)
      return ["\(InstalledPath.store)", "\(InstalledPath.configurationFolder)"].compactMap { path in
        guard let kind = mounts.kind(of: Array(path.utf8)), kinds.contains(kind) else { return nil }
        return Finding(
          severity: .error, code: "store-volatile", place: path,
          message:
            "is on a file system in memory (\(kind)): after a restart of the machine, no user "
            + "has a factor, and policy decides whether the password alone signs in",
          hint: "keep it on a disk: findmnt --target \(path)")
      }
    } catch {
      return [.unchecked("whether the store is on a disk", at: mountList, error.text)]
    }
  }
}
