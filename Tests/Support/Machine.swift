import Foundation
import Synchronization

/// The private machine, lent to one test at a time.
///
/// What a test changes by way of it is as it was when the test ends, however it ends.
public final class Machine {
  private static let turn = NSLock()
  private static let counter = Mutex(0)

  /// A folder of this test's own, that everybody may read.
  public let folder: String

  /// What the machine logs.
  public let log: SystemLog

  private var undoing: [(title: String, action: () throws -> Void)] = []
  private var kept: Set<String> = []

  /// Lends the machine to `body`, and undoes afterwards what it changed.
  public static func use<Result>(_ body: (Machine) throws -> Result) throws -> Result {
    turn.lock()
    defer { turn.unlock() }
    let machine = try Machine()
    let result = Swift.Result { try body(machine) }
    let problems = machine.undo()
    let value = try result.get()
    guard problems.isEmpty else {
      throw HarnessFailure("not everything could be undone", evidence: problems)
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

  /// Has something done when the test ends, before what was asked for earlier.
  public func atTheEnd(_ title: String, _ action: @escaping () throws -> Void) {
    undoing.append((title, action))
  }

  /// Adds a person with an account, a home folder and a password.
  public func addUser(named name: String? = nil, groups: [String] = []) throws -> MachineUser {
    let number = Self.next()
    let user = MachineUser(name: name ?? "person\(number)", password: "Pass \(number) word!")
    try Command.succeed(
      ["/usr/sbin/useradd", "--create-home", "--shell", "/bin/bash", user.name])
    atTheEnd("remove the account \(user.name)") {
      // Exit code 12: the home folder is gone already, which is as good. A process of a sign-in that
      // has not quite ended does not matter (--force); its mail folder never was.
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
  public func setPassword(_ password: String, of name: String) throws(HarnessFailure) {
    // As few rounds as there are: a test proves nothing about the cost of password guessing.
    try Command.succeed(
      ["/usr/sbin/chpasswd", "--crypt-method", "SHA256", "--sha-rounds", "1000"],
      input: Array("\(name):\(password)\n".utf8))
  }

  /// Keeps a file or folder, or that there is none, so that it is put back when the test ends.
  public func keep(_ path: String) throws(HarnessFailure) {
    guard kept.insert(path).inserted else { return }
    let isThere = try Command.run(["/usr/bin/test", "-e", path, "-o", "-L", path]).status.isSuccess
    let copy = isThere ? folder + "/kept-\(Self.next())" : nil
    if let copy { try Command.succeed(["/bin/cp", "-a", path, copy]) }
    atTheEnd("put back \(path)") {
      try Command.succeed(["/bin/rm", "-rf", path])
      if let copy { try Command.succeed(["/bin/cp", "-a", copy, path]) }
    }
  }

  /// Writes a file, in the place of what was there.
  public func write(
    _ contents: [UInt8], to path: String, owner: String = "root", group: String = "root",
    mode: String = "0644"
  ) throws(HarnessFailure) {
    try keep(path)
    try Command.succeed(
      ["/usr/bin/install", "-D", "-o", owner, "-g", group, "-m", mode, "/dev/stdin", path],
      input: contents)
  }

  /// Writes a text file, in the place of what was there.
  public func write(
    _ text: String, to path: String, owner: String = "root", group: String = "root",
    mode: String = "0644"
  ) throws(HarnessFailure) {
    try write(Array(text.utf8), to: path, owner: owner, group: group, mode: mode)
  }

  /// Removes a file or folder until the test ends.
  public func remove(_ path: String) throws(HarnessFailure) {
    try keep(path)
    try Command.succeed(["/bin/rm", "-rf", path])
  }

  /// Takes the audit log away for the time of the test, so that it has one of its own: what others have
  /// entered takes room, and time to be read. Comes before anybody is enrolled.
  public func takeLedgerAway() throws(HarnessFailure) {
    for file in StoreFiles.log { try remove(file) }
  }

  /// What a file holds, or nothing when there is none.
  public func contents(of path: String) -> [UInt8]? {
    FileManager.default.contents(atPath: path).map { Array($0) }
  }

  /// Writes the PAM service `name`, a line each.
  public func writeService(_ name: String, _ lines: [String]) throws(HarnessFailure) {
    try write(lines.map { $0 + "\n" }.joined(), to: "/etc/pam.d/\(name)")
  }

  /// Writes a PAM service that nothing else uses; returns its name.
  public func makeService(_ lines: [String]) throws(HarnessFailure) -> String {
    let name = "mfa-test-\(Self.next())"
    try writeService(name, lines)
    return name
  }

  /// Writes /etc/mfa/mfa.conf.
  public func writeConfiguration(_ text: String) throws(HarnessFailure) {
    try write(text, to: "/etc/mfa/mfa.conf")
  }

  /// Makes a key for signing in by SSH, which the account of `user` accepts; returns the path of
  /// its private half.
  public func addLoginKey(for user: MachineUser) throws(HarnessFailure) -> String {
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
