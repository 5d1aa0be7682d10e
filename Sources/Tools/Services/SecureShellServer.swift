import MFAAdmin
import MFADoctor
import MFABase

/// Checks and reloads the sshd of this host.
package enum SecureShellServer {
  /// The path of sshd.
  static let program = "/usr/sbin/sshd"

  /// The default path of the file that contains the server's process number.
  private static let usualPidFile = "/run/sshd.pid"

  /// The folder without which sshd refuses to test its files. The service ssh creates it when it
  /// starts, and systemd removes it when the service stops.
  private static let privilegeSeparationFolder = "/run/sshd"

  /// The time limit for a program, in seconds. It is longer than the time after which systemd gives
  /// up a reload (90 s by default).
  private static let patience: Int64 = 120

  /// Checks sshd's files. Throws if the drop-in would not take effect, and returns the settings
  /// that override it for some sign-ins.
  static func look() throws(AdminError) -> [SSHDFile.Line] {
    guard Tool.isThere(program), try SystemFile.read(SSHDFile.path) != nil else {
      throw SecureShellObstacle.notInstalled
    }
    let file = SSHDFile(of: LocalExaminedHost())
    // sshd -T shows what other files set.
    if let failure = file.unread.first(where: { $0.place.hasPrefix(SSHDFile.path) }) {
      throw failure
    }
    if let obstacle = SecureShellDropIn.obstacle(in: file) { throw obstacle }
    if let line = file.lines.first(where: { $0.name == "pamservicename" && $0.value != "sshd" }) {
      throw SecureShellObstacle.otherService(line)
    }
    return SecureShellDropIn.exceptions(in: file)
  }

  /// Throws if sshd requires a key now, which a password and a code would replace. sshd's files are
  /// checked later: if sshd prints no settings, this is not known and not an error.
  package static func checkThatNoKeyIsRequired() throws(AdminError) {
    try makePrivilegeSeparationFolder()
    let effective = try run([program] + SSHDSettings.ofNoMatch)
    guard let lists = SSHDSettings(effective.output).methodLists,
      lists.allSatisfy({ $0.contains("publickey") })
    else { return }
    throw SecureShellObstacle.keyRequired
  }

  /// Verifies that an sshd started now would use the drop-in's settings.
  ///
  /// - Returns: the settings that `sshd -T` prints.
  package static func check(
    expecting first: SecureShellFactors.First
  ) throws(AdminError) -> SSHDSettings {
    try makePrivilegeSeparationFolder()
    let test = try run([program, "-t"])
    guard test.isSuccess else {
      throw SecureShellObstacle.refused("sshd -t", complaint(test))
    }
    let effective = try run([program] + SSHDSettings.ofNoMatch)
    guard effective.isSuccess else {
      throw SecureShellObstacle.refused("sshd -T", complaint(effective))
    }
    let settings = SSHDSettings(effective.output)
    let differences = SecureShellDropIn.differences(inEffective: settings, expecting: first)
    guard differences.isEmpty else {
      throw SecureShellObstacle.overridden(differences)
    }
    return settings
  }

  private static func complaint(_ output: ProgramOutput) -> String {
    ProgramComplaint(ofSSHD: output, on: LocalExaminedHost()).text
  }

  private static func makePrivilegeSeparationFolder() throws(AdminError) {
    let folder = privilegeSeparationFolder
    do throws(SystemError) { try ChangeFolder.make(folder, permissions: 0o755) } catch {
      throw .file(folder, error)
    }
  }

  /// Makes the running server reload its settings, if sshd accepts its files: a server that does not
  /// would end. Returns false if no server is running.
  ///
  /// `effective` are the settings that `sshd -T` prints, or nil if they are not known.
  static func reload(effective: SSHDSettings? = nil) throws(AdminError) -> Bool {
    let pidFile = effective?.value(of: "pidfile") ?? usualPidFile
    let old = Tool.version(of: pidFile)
    if Tool.isUnderSystemd, Tool.isThere("/usr/bin/systemctl") {
      guard try reloadBySystemd() else { return false }
      // Without the file there is nothing to wait for.
      if old != nil { _ = Tool.waitForVersion(of: pidFile, after: old, seconds: 5) }
      return true
    }
    guard let number = server(pidFile) else { return false }
    try requireAcceptedFiles()
    do throws(SystemError) { try Tool.hangUp(number) } catch { throw .reload(error.text) }
    guard Tool.waitForVersion(of: pidFile, after: old, seconds: 10) else {
      throw .reload("process \(number) did not rewrite \(pidFile)")
    }
    return true
  }

  private static func reloadBySystemd() throws(AdminError) -> Bool {
    for unit in ["ssh.service", "sshd.service"]
    where try run(["/usr/bin/systemctl", "is-active", "--quiet", unit]).isSuccess {
      try requireAcceptedFiles()
      let result = try run(["/usr/bin/systemctl", "reload", unit])
      guard result.isSuccess else { throw .reload("systemctl reload \(unit): \(result.complaint)") }
      return true
    }
    return false
  }

  private static func requireAcceptedFiles() throws(AdminError) {
    try makePrivilegeSeparationFolder()
    let test = try run([program, "-t"])
    guard test.isSuccess else {
      throw .reload("sshd -t: \(complaint(test))")
    }
  }

  /// Returns the server's process number from the file, or nil if that process does not run sshd.
  private static func server(_ pidFile: String) -> Int32? {
    guard let text = ProcFile.text(pidFile),
      let number = Int32(text.filter { !$0.isWhitespace }), number > 1,
      ProcessTable.program(of: Int64(number)) == program
    else { return nil }
    return number
  }

  private static func run(_ arguments: [String]) throws(AdminError) -> ProgramOutput {
    let program = ChildProgram(arguments: arguments, seconds: patience)
    do throws(AdminError) { return try program.run() } catch {
      throw .reload("\(arguments[0]): \(error.reason)")
    }
  }
}
