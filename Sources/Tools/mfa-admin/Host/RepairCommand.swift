import ArgumentParser
import MFAAdmin
import MFABase
import MFADoctor

/// `mfa-admin repair`
struct RepairCommand: ParsableCommand {
  static let configuration = command(
    "repair", "Correct owners and permissions of the store and the configuration.",
    """
    For example after a wrong 'chown -R' or 'chmod -R': prints and makes each change in /etc/mfa and \
    /var/lib/mfa, and says what it cannot repair. Follows no symbolic link, and changes no file with \
    several hard links. The exit status is 1 if something is not as it has to be: after the command or, \
    with --dry-run, now.
    """)

  @Flag(help: "Print the changes, and change nothing.")
  var dryRun = false

  func run() throws(AdminError) {
    try ThisHost.requireRoot()
    let repair = try Repair(isDryRun: dryRun)
    for change in repair.changes { try Console.write(change.text + "\n") }
    for finding in repair.warnings + repair.obstacles {
      try Console.write(TextWidth.wrapped(finding.text, to: Console.columns))
    }
    if !dryRun, !repair.changes.isEmpty { Self.log(repair.changes.count) }
    guard repair.obstacles.isEmpty else { throw .unrepaired(repair.obstacles.count) }
    guard !repair.changes.isEmpty else {
      return try Console.write("owners and permissions are as they have to be\n")
    }
    guard !dryRun else { throw .repairNeeded(repair.changes.count) }
  }

  /// Writes to the system log and the kernel's audit trail that files were changed.
  private static func log(_ count: Int) {
    var record = LogLine()
    record.add("op", "mfa:repaired")
    Audit.write(configuration: record, terminal: Console.terminal)
    var line = LogLine()
    line.add("result", "repaired")
    line.add("files", Int64(count))
    line.add("by", escaping: Console.actor)
    Log.write(.notice, line)
  }
}
