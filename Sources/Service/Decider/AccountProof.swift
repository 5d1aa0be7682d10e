import MFABase
import MFAWire

/// A proof that the caller owns the account, normally through PAM.
package protocol AccountProof {
  /// Asks the user what PAM requires, and returns whether the user proved to own the account.
  func prove(_ account: Account, by prompter: some Prompter) -> ProofResult
}

/// The user whom a proof asks.
package protocol Prompter {
  /// Asks one question and returns the answer, or nil if the user gave none.
  func ask(_ prompt: DisplayText, echo: Bool) -> SecretBytes?

  /// Shows a message to the user.
  func tell(_ text: DisplayText)
}

/// The failures that pam_faillock has recorded for a user, and the settings that lock an account
/// (faillock.conf(5)).
///
/// The file of a user is in /run/faillock. It has a record of 64 bytes for each failure: 52 bytes for the
/// source, 2 that are reserved, 2 for the status, of which bit 0 says that the record is valid, and 8 for the
/// time in seconds since the epoch, in the byte order of the machine.
package struct FaillockTally: Equatable, Sendable {
  /// The settings of pam_faillock.
  package struct Policy: Equatable, Sendable {
    /// The number of failures that locks an account; 0 for none.
    package var deny: Int64 = 3
    /// The seconds in which these failures happen.
    package var failInterval: Int64 = 900
    /// The seconds after which the account is unlocked; 0 if an administrator has to do that.
    package var unlockTime: Int64 = 600
    /// Whether a line of a service file names the module.
    package var isUsed = false

    /// Creates the module's defaults.
    package init() {}

    /// Applies the settings in faillock.conf: `name = value`, one a line.
    package mutating func apply(configuration: [UInt8]) {
      for line in configuration.split(separator: UInt8(ascii: "\n")) {
        let setting = line.prefix { $0 != UInt8(ascii: "#") }
        let parts = setting.split(separator: UInt8(ascii: "="), maxSplits: 1)
        guard parts.count == 2 else { continue }
        apply(name: Self.trimmed(parts[0]), value: Self.trimmed(parts[1]))
      }
    }

    /// Applies the arguments in the lines of a service file that name the module.
    package mutating func apply(serviceFile: [UInt8]) {
      let module: StaticString = "pam_faillock.so"
      for line in serviceFile.split(separator: UInt8(ascii: "\n")) {
        let words = line.prefix { $0 != UInt8(ascii: "#") }
          .split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        guard
          let place = words.firstIndex(where: { word in
            word.split(separator: UInt8(ascii: "/")).last.map { Array($0) } == module.bytes
          })
        else { continue }
        isUsed = true
        for word in words[(place &+ 1)...] {
          let parts = word.split(separator: UInt8(ascii: "="), maxSplits: 1)
          if parts.count == 2 { apply(name: Array(parts[0]), value: Array(parts[1])) }
        }
      }
    }

    private mutating func apply(name: [UInt8], value: [UInt8]) {
      let never: StaticString = "never"
      let number = value == never.bytes ? 0 : Self.number(value)
      guard let number else { return }
      let (deny, interval, unlock): (StaticString, StaticString, StaticString) = (
        "deny", "fail_interval", "unlock_time"
      )
      if name == deny.bytes { self.deny = number }
      if name == interval.bytes { failInterval = number }
      if name == unlock.bytes { unlockTime = number }
    }

    private static func number(_ text: [UInt8]) -> Int64? {
      guard !text.isEmpty, text.count <= 9 else { return nil }
      var number: Int64 = 0
      for byte in text {
        guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
        number = number &* 10 &+ Int64(byte &- UInt8(ascii: "0"))
      }
      return number
    }

    private static func trimmed(_ text: ArraySlice<UInt8>) -> [UInt8] {
      var text = text
      let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
      while let byte = text.first, isBlank(byte) { text = text.dropFirst() }
      while let byte = text.last, isBlank(byte) { text = text.dropLast() }
      return Array(text)
    }
  }

  /// The times of the valid failures, in seconds since the epoch.
  package let times: [Int64]

  /// Reads a file of pam_faillock. A record that is cut off is left out.
  package init(_ bytes: [UInt8]) {
    var times: [Int64] = []
    var start = 0
    while start &+ 64 <= bytes.count {
      let status = UInt16(bytes[start &+ 54]) | UInt16(bytes[start &+ 55]) << 8
      var time: UInt64 = 0
      for index in (0..<8).reversed() { time = time << 8 | UInt64(bytes[start &+ 56 &+ index]) }
      if UInt16(littleEndian: status) & 1 == 1 { times.append(Int64(clamping: time)) }
      start &+= 64
    }
    self.times = times
  }

  /// Returns whether the account is locked at `now`, in seconds since the epoch.
  package func isLocked(_ policy: Policy, at now: Int64) -> Bool {
    guard policy.isUsed, policy.deny > 0, let latest = times.max() else { return false }
    let recent = times.count { latest &- $0 < policy.failInterval }
    guard recent >= Int(policy.deny) else { return false }
    guard policy.unlockTime > 0 else { return true }
    let (age, overflow) = now.subtractingReportingOverflow(latest)
    return overflow || age <= policy.unlockTime
  }
}

/// What files say about whether an account may be used now.
enum AccountStatusFiles {
  /// The longest file that is read, in bytes.
  private static var longest: Int { 65_536 }

  /// Returns why an account may not be used, or nil. A file that cannot be read refuses nothing: PAM
  /// decides.
  static func refusal(
    of account: Account, _ identities: PrivilegedProcess.Identities
  ) -> AccountRefusal? {
    let signs: [StaticString] = ["/run/nologin", "/etc/nologin"]
    if signs.contains(where: { Directory.mayExist($0.bytes) }) { return .noSignIns }
    let policy = policy()
    guard policy.isUsed, let name = FileName(account.name),
      let tally = PrivilegedProcess.asCaller(
        identities, { contents(of: name, in: ["run", "faillock"]) }), let tally
    else { return nil }
    let now: Int64
    do throws(SystemError) { now = try Clock.now() } catch { return nil }
    return FaillockTally(tally).isLocked(policy, at: now) ? .locked : nil
  }

  /// The settings of pam_faillock in faillock.conf and in the first of these service files that names the
  /// module, which is the one of sshd on most hosts.
  private static func policy() -> FaillockTally.Policy {
    var policy = FaillockTally.Policy()
    if let text = contents(of: "faillock.conf", in: ["etc", "security"]) {
      policy.apply(configuration: text)
    }
    let services: [StaticString] = [
      "sshd", "password-auth", "common-auth", "system-auth", "system-login", "login",
    ]
    for service in services where !policy.isUsed {
      if let text = contents(of: service, in: ["etc", "pam.d"]) { policy.apply(serviceFile: text) }
    }
    return policy
  }

  private static func contents(of name: StaticString, in folders: [StaticString]) -> [UInt8]? {
    FileName(name).flatMap { contents(of: $0, in: folders) }
  }

  /// Returns the content of a regular file, or nil if it cannot be read.
  private static func contents(of name: FileName, in folders: [StaticString]) -> [UInt8]? {
    do throws(SystemError) {
      var directory = try Directory.root()
      for folder in folders {
        guard let folder = FileName(folder) else { return nil }
        directory = try directory.directory(folder)
      }
      let file = try directory.fileForReading(name)
      guard try file.status().kind == .regular else { return nil }
      return try file.read(count: longest)
    } catch {
      return nil
    }
  }
}
