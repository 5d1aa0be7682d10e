import Foundation
import Synchronization

/// The private machine, reserved for one test at a time.
///
/// All changes that a test makes through this class are undone when the test ends, even if it
/// fails.
package final class Machine {
  private static let turn = NSLock()
  private static let counter = Mutex(0)

  /// A folder for this test alone, readable by every user.
  package let folder: String

  /// The system log of the machine.
  package let log: SystemLog

  private var undoing: [(title: String, action: () throws -> Void)] = []
  private var kept: Set<String> = []

  /// Reserves the machine for `body`, and undoes its changes afterwards.
  package static func use<Result>(_ body: (Machine) throws -> Result) throws -> Result {
    turn.lock()
    defer { turn.unlock() }
    let machine = try Machine()
    let result = Swift.Result { try body(machine) }
    let problems = machine.undo()
    let value = try result.get()
    guard problems.isEmpty else {
      throw HarnessFailure("some changes could not be undone", evidence: problems)
    }
    return value
  }

  private init() throws(HarnessFailure) {
    log = try SystemLog.machine()
    folder = "/run/mfa-tests/\(Self.next())"
    try Command.succeed(["/bin/mkdir", "-p", "-m", "0755", folder, "/run/sshd"])
    let folder = folder
    undoing.append(("remove \(folder)", { try Command.succeed(["/bin/rm", "-rf", folder]) }))
  }

  private static func next() -> Int {
    counter.withLock { count in
      count += 1
      return count
    }
  }

  private func undo() -> [(title: String, text: String)] {
    var problems: [(title: String, text: String)] = []
    while let step = undoing.popLast() {
      do { try step.action() } catch { problems.append((step.title, "\(error)")) }
    }
    return problems
  }

  /// Registers an action to run when the test ends. Actions run in reverse order of registration.
  package func atTheEnd(_ title: String, _ action: @escaping () throws -> Void) {
    undoing.append((title, action))
  }

  /// Adds a user with an account, a home folder and a password.
  package func addUser(named name: String? = nil, groups: [String] = []) throws -> MachineUser {
    let number = Self.next()
    let user = MachineUser(name: name ?? "person\(number)", password: "Pass \(number) word!")
    try Command.succeed(
      ["/usr/sbin/useradd", "--create-home", "--shell", "/bin/bash", user.name])
    atTheEnd("remove the account \(user.name)") {
      // Exit code 12 means that the home or mail folder does not exist, which is fine. --force
      // removes the account even while processes of a sign-in are still ending.
      let removal = try Command.run(["/usr/sbin/userdel", "--force", "--remove", user.name])
      guard [.exited(0), .exited(12)].contains(removal.status) else {
        throw HarnessFailure("userdel \(removal.status)", evidence: [("errors", removal.errorText)])
      }
      try Command.succeed([
        "/bin/rm", "-rf", "/var/lib/mfa/factors/\(user.name)", "/var/lib/mfa/attempts/\(user.name)",
      ])
    }
    for group in groups { try Command.succeed(["/usr/sbin/usermod", "-aG", group, user.name]) }
    try setPassword(user.password, of: user.name)
    return user
  }

  /// Gives an account a password.
  package func setPassword(_ password: String, of name: String) throws(HarnessFailure) {
    // Uses the minimum number of rounds: no test depends on the cost of password guessing.
    try Command.succeed(
      ["/usr/sbin/chpasswd", "--crypt-method", "SHA256", "--sha-rounds", "1000"],
      input: Array("\(name):\(password)\n".utf8))
  }

  /// Saves a file or folder, or the fact that it does not exist, and restores it when the test
  /// ends.
  package func keep(_ path: String) throws(HarnessFailure) {
    guard kept.insert(path).inserted else { return }
    let isThere = try Command.run(["/usr/bin/test", "-e", path, "-o", "-L", path]).status.isSuccess
    let copy = isThere ? folder + "/kept-\(Self.next())" : nil
    if let copy { try Command.succeed(["/bin/cp", "-a", path, copy]) }
    atTheEnd("restore \(path)") {
      try Command.succeed(["/bin/rm", "-rf", path])
      if let copy { try Command.succeed(["/bin/cp", "-a", copy, path]) }
    }
  }

  /// Writes a file, replacing an existing one.
  package func write(
    _ contents: [UInt8], to path: String, owner: String = "root", group: String = "root",
    mode: String = "0644"
  ) throws(HarnessFailure) {
    try keep(path)
    try Command.succeed(
      ["/usr/bin/install", "-D", "-o", owner, "-g", group, "-m", mode, "/dev/stdin", path],
      input: contents)
  }

  /// Writes a text file, replacing an existing one.
  package func write(
    _ text: String, to path: String, owner: String = "root", group: String = "root",
    mode: String = "0644"
  ) throws(HarnessFailure) {
    try write(Array(text.utf8), to: path, owner: owner, group: group, mode: mode)
  }

  /// Removes a file or folder until the test ends.
  package func remove(_ path: String) throws(HarnessFailure) {
    try keep(path)
    try Command.succeed(["/bin/rm", "-rf", path])
  }

  /// Moves the audit log away for the duration of the test, so that the test has its own: the
  /// entries of other tests take space, and time to read. Call this before any enrolment.
  package func takeAuditLogAway() throws(HarnessFailure) {
    for file in StoreFiles.log { try remove(file) }
    try StoreFiles.forgetIdentity()
  }

  /// Has /etc/mfa restored at the end, and the audit log that its identity of the store describes.
  package func keepConfiguration() throws(HarnessFailure) {
    for path in StoreFiles.log + ["/etc/mfa"] { try keep(path) }
  }

  /// Returns the content of a file, or nil if it does not exist.
  package func contents(of path: String) -> [UInt8]? {
    FileManager.default.contents(atPath: path).map { Array($0) }
  }

  /// Writes the PAM service `name` with the given lines.
  package func writeService(_ name: String, _ lines: [String]) throws(HarnessFailure) {
    try write(lines.map { $0 + "\n" }.joined(), to: "/etc/pam.d/\(name)")
  }

  /// Writes a PAM service with a unique name, and returns the name.
  package func makeService(_ lines: [String]) throws(HarnessFailure) -> String {
    try makeService(text: lines.map { $0 + "\n" }.joined())
  }

  /// Writes a PAM service with a unique name and this text, and returns the name.
  package func makeService(text: String) throws(HarnessFailure) -> String {
    let name = "mfa-test-\(Self.next())"
    try write(text, to: "/etc/pam.d/\(name)")
    return name
  }

  /// Writes /etc/mfa/mfa.conf.
  package func writeConfiguration(_ text: String) throws(HarnessFailure) {
    try write(text, to: "/etc/mfa/mfa.conf")
  }

  /// Creates an SSH key that the account of `user` accepts for signing in; returns the path of the
  /// private key.
  package func addLoginKey(for user: MachineUser) throws(HarnessFailure) -> String {
    let path = folder + "/login-key-\(Self.next())"
    try Command.succeed(["/usr/bin/ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path])
    let folder = user.home + "/.ssh"
    try Command.succeed(
      ["/usr/bin/install", "-d", "-o", user.name, "-g", user.name, "-m", "0700", folder])
    try write(
      contents(of: path + ".pub") ?? [], to: folder + "/authorized_keys", owner: user.name,
      group: user.name, mode: "0600")
    return path
  }
}
