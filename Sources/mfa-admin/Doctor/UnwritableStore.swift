import System

/// A store in which nothing can be written down: then every code is refused.
enum UnwritableStore: Examination {
  private static let path = "/var/lib/mfa"

  /// With less than this, in bytes and files, it is as good as full.
  private static let least: (bytes: UInt64, files: UInt64) = (1 << 20, 16)

  /// With less than this, it soon will be.
  private static let little: (bytes: UInt64, files: UInt64) = (16 << 20, 256)

  private static let harm =
    "a code that cannot be written down is refused: nobody who is asked gets in"

  static func findings(on chart: Chart) -> [Finding] {
    do throws(SystemError) {
      // That it is not there is told by another examination.
      guard try chart.host.status(of: path)?.kind == .folder else { return [] }
      if let finding = room(try chart.host.room(at: path)) { return [finding] }
    } catch {
      return [.unchecked("whether the store can be written", at: path, error.text)]
    }
    do throws(TrustedPath.Refusal) {
      try chart.host.tryWriting(in: path)
      return []
    } catch {
      let reason =
        switch error {
        case .system(let error): error.text
        case .untrusted(let distrust): "\(distrust.name)"
        }
      return [
        Finding(
          severity: .error, code: "store-not-writable", place: path,
          message: "a file cannot be written here (\(reason)): \(harm)",
          hint: "make room, or mount it for writing: findmnt --target \(path); df \(path)")
      ]
    }
  }

  private static func room(_ room: FileSystemRoom) -> Finding? {
    if room.isReadOnly {
      return Finding(
        severity: .error, code: "store-read-only", place: path,
        message: "is on a file system that is mounted read-only: \(harm)",
        hint: "findmnt --target \(path) shows it; mount -o remount,rw, and see why: dmesg")
    }
    let files = room.files ?? .max
    let left =
      room.bytes < little.bytes
      ? "\(room.bytes >> 10) KiB are left" : "\(files) more files can be made"
    if room.bytes < least.bytes || files < least.files {
      return Finding(
        severity: .error, code: "store-full", place: path,
        message: "is on a file system that is full (\(left)): \(harm)",
        hint: "make room: df \(path); df --inodes \(path)")
    }
    guard room.bytes < little.bytes || files < little.files else { return nil }
    return Finding(
      severity: .warning, code: "store-nearly-full", place: path,
      message: "is on a file system that is nearly full (\(left)): once it is, nobody who is asked "
        + "gets in",
      hint: "make room: df \(path); df --inodes \(path)")
  }
}
