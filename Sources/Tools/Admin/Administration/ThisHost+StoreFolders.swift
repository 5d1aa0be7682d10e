import MFABase
import MFAStore

// Creates and removes the key, the store and its identity. Their folders belong to different users, so the
// script that packaging/install runs creates them.
extension ThisHost {
  /// Returns what an administrator is to know before the present store becomes the host's own, or nil if it
  /// is.
  package static func storeToAdopt() throws(AdminError) -> Administration.StoreToAdopt? {
    do throws(AdminError) {
      let (administration, _) = try administration(needsConfiguration: false)
      return try administration.storeToAdopt()
    } catch .store(.foreign(let difference)) {
      return Administration.StoreToAdopt(difference, users: nil)
    }
  }

  /// Creates the folders and files of the store that are missing.
  package static func makeStore() throws(AdminError) {
    let result: ProgramOutput
    do throws(AdminError) {
      result = try ChildProgram(arguments: ["\(InstalledPath.storeScript)", "--adopt"]).run()
    } catch {
      throw .storeNotMade(error.reason)
    }
    guard result.isSuccess else {
      throw .storeNotMade(result.complaint(containing: "error: "))
    }
  }

  /// What an image of a host has removed: paths, and the folders whose content is removed.
  static var pathsOfImage: (paths: [String], contents: [String]) {
    (
      [
        "\(InstalledPath.realm)", "\(InstalledPath.importedUsers)", "/var/lib/mfa-fleet",
        "/var/lib/mfa-fleet-offline", "\(InstalledPath.key).next", "/etc/mfa/.key.new",
        "\(InstalledPath.key)", "\(InstalledPath.storeIdentity)", "\(InstalledPath.breakGlass)",
      ], ["\(InstalledPath.store)"]
    )
  }

  /// Removes the key, the store's content and the membership in a realm, and leaves a file that has the next
  /// start create a key and a store. An interruption leaves a host that denies, and that the command completes.
  package static func prepareImage() throws(AdminError) {
    var line = LogLine()
    line.add("result", "image-prepared")
    line.add("by", escaping: Console.actor)
    Log.write(.warning, line)
    let (paths, contents) = pathsOfImage
    for folder in contents {
      // The folder can be a mount point.
      try run("/usr/bin/find", [folder, "-xdev", "-mindepth", "1", "-delete"], about: folder)
    }
    for path in paths { try run("/bin/rm", ["-rf", "--one-file-system", "--", path], about: path) }
    let marker = "\(InstalledPath.newMachine)"
    try run("/usr/bin/touch", ["--", marker], about: marker)
    try run("/bin/sync", [], about: marker)
  }

  private static func run(
    _ program: String, _ arguments: [String], about path: String
  ) throws(AdminError) {
    let result: ProgramOutput
    do throws(AdminError) {
      result = try ChildProgram(arguments: [program] + arguments, seconds: 600).run()
    } catch {
      throw .imageNotPrepared(path, error.reason)
    }
    guard result.isSuccess else { throw .imageNotPrepared(path, result.complaint) }
  }
}
