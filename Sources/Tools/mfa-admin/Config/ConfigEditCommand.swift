import ArgumentParser
import MFAAdmin
import MFAAttempt
import MFABase
import MFAModel
import MFAServices

/// `mfa-admin config edit`
struct ConfigEditCommand: ParsableCommand {
  static let configuration = command(
    "edit", "Edit a configuration file, and check it before it is written.",
    """
    Opens a copy in the editor that SUDO_EDITOR, VISUAL or EDITOR names. After a mistake, asks whether to \
    edit again or to discard the changes: nothing with a mistake is written. Tells which sign-ins are \
    decided in another way. The version before is kept, with the ending .old.
    """)

  @Option(help: ArgumentHelp("Edit the file with the section of this tenant.", valueName: "name"))
  var tenant: String?

  @Option(help: ConfigWriting.fileHelp)
  var file: String?

  func validate() throws(ValidationError) {
    guard tenant == nil || file == nil else {
      throw ValidationError("--tenant and --file cannot be combined")
    }
  }

  func run() throws {
    try ThisHost.requireRoot()
    let named = try file.map { try ConfigWriting.path(named: $0) }
    guard Console.hasTerminal else { throw AdminError.noTerminal }
    let lock = try EditorLock()
    try edit(try named ?? Self.file(of: tenant))
    // No other editor may begin before.
    extendLifetime(lock)
  }

  /// Returns the last file with the section of a tenant, or the host's file without a tenant.
  private static func file(of tenant: String?) throws(AdminError) -> [UInt8] {
    guard let tenant else { return ConfigurationFile.standardPath }
    guard
      let file = ConfigurationEdit.file(
        withTenant: Array(tenant.utf8), in: try ConfigurationEdit.layers())
    else { throw .noSuchTenant(tenant) }
    return file
  }

  private func edit(_ path: [UInt8]) throws(AdminError) {
    guard let name = FileName(ofFileAt: path) else { return }
    let editor = try Editor()
    var original = try ConfigurationEdit.text(of: path, in: try ConfigurationEdit.layers())
    var draft = original
    while true {
      draft = try editor.edit(draft, as: name)
      guard draft != original else {
        return try Console.write("\(VisibleText.escaping(path)): nothing was changed\n")
      }
      switch try Self.install(draft, at: path, over: original) {
      case .written(let written): return try ConfigWriting.tellEffect(of: written)
      case .refused(let error): Console.report(error)
      case .changedMeanwhile(let present):
        let place = VisibleText.escaping(path)
        Console.printError(
          "warning: \(place) was changed while you edited it; nothing was written:")
        Console.printError(
          VisibleText.escaping(UnifiedDiff.text(path: place, old: original, new: present)))
        Console.printError("hint: include this change in your version, which replaces it")
        original = present
      }
      guard Self.wantsToEditAgain() else { throw .discarded }
    }
  }

  private enum Result {
    case written(ConfigWriting.Written?)
    case refused(AdminError)
    case changedMeanwhile([UInt8])
  }

  /// Writes a new version, unless it has a mistake, or the file is not the one any more that was edited.
  private static func install(
    _ draft: [UInt8], at path: [UInt8], over original: [UInt8]
  ) throws(AdminError) -> Result {
    do throws(AdminError) {
      return try IdentityPlatformFile.locking { () throws(AdminError) in
        let layers = try ConfigurationEdit.layers()
        let present = try ConfigurationEdit.text(of: path, in: layers)
        guard present == original else { return .changedMeanwhile(present) }
        return .written(
          try ConfigWriting.write(try ConfigurationEdit(draft, at: path, over: layers)))
      }
    } catch {
      switch error {
      case .notApplied, .configuration, .configurationBusy: return .refused(error)
      default: throw error
      }
    }
  }

  /// Asks what to do with a version that was not written.
  private static func wantsToEditAgain() -> Bool {
    while let answer = Console.ask("edit it again, or discard your changes? [edit/discard]") {
      if ["e", "edit"].contains(answer) { return true }
      if ["d", "discard"].contains(answer) { return false }
    }
    return false
  }
}
