import Dispatch
import Foundation
import Synchronization
import Testing

/// The private machine, reserved for one test at a time.
///
/// All changes that a test makes through this class are undone when the test ends, even if it
/// fails. The class is sendable because only the test that has reserved the machine makes changes.
package final class Machine: @unchecked Sendable {
  private static let turn = DispatchSemaphore(value: 1)
  private static let counter = Mutex(0)
  fileprivate static let reserved = Mutex<Machine?>(nil)

  /// A folder for this test alone, readable by every user.
  package let folder: String

  /// The system log of the machine.
  package let log: SystemLog

  private var undoing: [(title: String, action: () throws -> Void)] = []
  private var kept: Set<String> = []

  /// Reserves the machine for `body`, and undoes its changes afterwards.
  package static func use<Result>(_ body: (Machine) throws -> Result) throws -> Result {
    turn.wait()
    defer { turn.signal() }
    return try change(body)
  }

  /// Undoes the changes of `body` to the machine, which must be reserved.
  package static func change<Result>(_ body: (Machine) throws -> Result) throws -> Result {
    let machine = try Machine()
    let result = Swift.Result { try body(machine) }
    let problems = machine.undo()
    let value = try result.get()
    try requireNone(problems)
    return value
  }

  /// Reserves the machine for a test, which finds it in the global `machine`.
  fileprivate static func use(_ test: () async throws -> Void) async throws {
    // Another thread waits for the turn, so that tests in progress keep all threads of the pool.
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        turn.wait()
        continuation.resume()
      }
    }
    defer { turn.signal() }
    let machine = try Machine()
    reserved.withLock { $0 = machine }
    var failure: (any Error)?
    do { try await test() } catch { failure = error }
    let problems = machine.undo()
    reserved.withLock { $0 = nil }
    if let failure { throw failure }
    try requireNone(problems)
  }

  private static func requireNone(_ problems: [(title: String, text: String)]) throws {
    guard problems.isEmpty else {
      throw HarnessFailure("some changes could not be undone", evidence: problems)
    }
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
    try Command.succeed(["/usr/sbin/useradd", "--create-home", "--shell", "/bin/bash", user.name])
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
  /// ends, also while another process creates it again.
  package func keep(_ path: String) throws(HarnessFailure) {
    guard kept.insert(path).inserted else { return }
    let isThere = try Command.run(["/usr/bin/test", "-e", path, "-o", "-L", path]).status.isSuccess
    let copy = isThere ? folder + "/kept-\(Self.next())" : nil
    if let copy { try Command.succeed(["/bin/cp", "-a", path, copy]) }
    atTheEnd("restore \(path)") {
      try Command.succeed(["/bin/rm", "-rf", path])
      if let copy {
        try Command.succeed(["/bin/cp", "-a", "--no-target-directory", copy, path])
      }
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

  /// Returns the text of a file, or an empty text if it does not exist.
  package func text(of path: String) -> String {
    String(decoding: contents(of: path) ?? [], as: UTF8.self)
  }

  /// Returns the text of a file, which must exist.
  package func existingText(of path: String) throws(HarnessFailure) -> String {
    guard let contents = contents(of: path) else { throw HarnessFailure("\(path) does not exist") }
    return String(decoding: contents, as: UTF8.self)
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

/// The machine that the running test of a suite with the trait `.machine` has reserved.
package var machine: Machine {
  guard let machine = Machine.reserved.withLock({ $0 }) else {
    fatalError("no test with the trait .machine is running")
  }
  return machine
}

/// Reserves the machine for each test of a suite; see `machine`.
package struct MachineTrait: SuiteTrait, TestTrait, TestScoping {
  package let isRecursive = true

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await Machine.use(function)
  }
}

extension Trait where Self == MachineTrait {
  /// Reserves the machine for each test.
  package static var machine: Self { Self() }
}
