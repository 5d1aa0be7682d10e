import MFABase

/// The record of a user's wrong passwords that pam_faillock.so keeps: records of 64 bytes (faillock.h).
struct FailureTally {
  /// The times of the failures that count, in seconds since the epoch.
  private let times: [UInt64]

  /// Reads the contents of a user's file.
  init(_ contents: [UInt8]) {
    times = stride(from: 0, to: contents.count - 63, by: 64).compactMap { start in
      // After 52 bytes for the source and 2 that are not used: the status and the time.
      func number(_ offset: Int, _ count: Int) -> UInt64 {
        contents[(start + offset)...].prefix(count).reversed()
          .reduce(0) { $0 << 8 | UInt64($1) }
      }
      return number(54, 2) & 1 == 1 ? number(56, 8) : nil
    }
  }

  /// The settings of pam_faillock.so, from its file and from the arguments of a line (faillock.conf(5)).
  struct Rules {
    /// The folder with a file for each user.
    private(set) var folder = "/run/faillock"
    /// A group whose members are treated as root is.
    private(set) var privilegedGroup: [UInt8]?
    fileprivate var most: UInt64 = 3
    fileprivate var interval: UInt64 = 900
    /// After how many seconds the account is unlocked; 0 for never.
    fileprivate var end: UInt64 = 600
    fileprivate var endOfRoot: UInt64?
    fileprivate var locksRoot = false
    /// Whether a setting is not understood, or excepts users in a way that is not known here.
    fileprivate var isUnknown = false

    /// Reads the settings. `lines` returns the lines of a file of root's, or nil if it cannot be read.
    init(_ arguments: [String], lines: (String) -> [[UInt8]]?) {
      let file = arguments.first { $0.hasPrefix("conf=") }.map { String($0.dropFirst(5)) }
      for line in lines(file ?? "/etc/security/faillock.conf") ?? [] {
        let text = String(decoding: line, as: UTF8.self).prefix { $0 != "#" }
        set(text.filter { !$0.isWhitespace })
      }
      for argument in arguments { set(argument) }
    }

    private mutating func set(_ setting: String) {
      let parts = setting.split(separator: "=", maxSplits: 1).map { String($0) }
      let value = parts.count > 1 ? parts[1] : nil
      func number(_ former: UInt64) -> UInt64? {
        value == "never" ? 0 : value.flatMap { UInt64($0) }.map { min($0, 604_800) }
      }
      switch parts.first {
      case "dir": folder = value == "/var/run/faillock" ? folder : value ?? folder
      case "deny": most = number(most) ?? most
      case "fail_interval": interval = number(interval) ?? interval
      case "unlock_time": end = number(end) ?? end
      case "root_unlock_time": (endOfRoot, locksRoot) = (number(end), true)
      case "even_deny_root": locksRoot = true
      case "admin_group": privilegedGroup = value.map { Array($0.utf8) }
      case "local_users_only": isUnknown = true
      case _: break
      }
    }
  }

  /// Returns whether the module refuses the user at a time. False if that is not certain.
  func isLocked(_ rules: Rules, isPrivileged: Bool, now: Int64) -> Bool {
    guard !rules.isUnknown, rules.most > 0, let latest = times.max(), now >= 0 else { return false }
    let recent = times.filter { latest - $0 < rules.interval }
    guard recent.count >= rules.most, !isPrivileged || rules.locksRoot else { return false }
    let end = isPrivileged ? rules.endOfRoot ?? rules.end : rules.end
    let (unlocked, isMore) = latest.addingReportingOverflow(end)
    return end == 0 || isMore || unlocked >= UInt64(now)
  }
}
