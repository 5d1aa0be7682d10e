import ArgumentParser
import MFAAdmin
import MFAStore
import MFAAttempt
import MFADoctor
import MFAModel
import MFABase

/// What the commands that write a file of the configuration have in common.
enum ConfigWriting {
  static var fileHelp: ArgumentHelp {
    ArgumentHelp("mfa.conf, or the name of a file in mfa.conf.d.", valueName: "file")
  }

  static func path(named name: String?) throws -> [UInt8] {
    guard let path = ConfigurationEdit.path(named: name) else {
      throw ValidationError("the file is mfa.conf, or a name such as 20-web.conf")
    }
    return path
  }

  /// Writes a new version, and says what it replaced and which mistakes of other files remain.
  ///
  /// A store that cannot be used keeps nothing from being written: in an emergency, this command switches the
  /// second factor off.
  static func write(_ edit: ConfigurationEdit) throws(AdminError) {
    let place = VisibleText.escaping(edit.path)
    let mark = entered(edit.path)
    let old = try edit.write()
    log(edit.path, mark)
    note()
    try Console.write("\(place): written\n")
    if let old { try Console.write("\(VisibleText.escaping(old)): the version before\n") }
    for warning in edit.warnings { Console.printError("warning: " + warning) }
    guard edit.otherMistakes.isEmpty else {
      for failure in edit.otherMistakes {
        Console.printError("error: " + AdminError.message(failure))
        if let remedy = AdminError.remedy(failure) { Console.printError("hint: " + remedy) }
      }
      throw .mistakes(edit.otherMistakes.count, inForce: true)
    }
  }

  /// Enters the change in the audit log before it is made. A failure is a warning.
  private static func entered(_ path: [UInt8]) -> AuditLogCheckpoint? {
    do throws(AdminError) {
      let (administration, _) = try ThisHost.administration(needsConfiguration: false)
      let event = AuditLogEvent(
        .configured, ids: Array(path.split(separator: UInt8(ascii: "/")).last ?? []), detail: path,
        by: administration.ledgerActor, at: administration.now)
      do throws(FactorStoreError) { return try administration.store.enter(event) } catch {
        throw .store(error)
      }
    } catch {
      Console.printError("warning: the change is not in the audit log: \(error.message)")
      return nil
    }
  }

  /// Enters the fingerprint of the new configuration in the audit log, if that is possible.
  private static func note() {
    do throws(AdminError) { _ = try ThisHost.administration(needsConfiguration: false) } catch {}
  }

  private static func log(_ path: [UInt8], _ mark: AuditLogCheckpoint?) {
    var record = LogLine()
    record.add("op", "mfa:configured")
    record.add("file", escaping: path)
    Audit.write(configuration: record, terminal: Console.terminal)
    var line = LogLine()
    line.add("result", "configured")
    line.add("file", escaping: path)
    line.add("by", escaping: Console.actor)
    if let mark { line.add("checkpoint", escaping: mark.text) }
    Log.write(.notice, line)
  }
}
