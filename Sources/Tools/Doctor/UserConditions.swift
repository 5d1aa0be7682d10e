import MFAAdmin
import MFABase
import MFAPAMStack

// What the conditions of a stack say about one user: who a rollout leaves out is often a matter of a group.

extension StackEntry {
  /// A user, as far as a condition can ask about one.
  struct ConditionSubject {
    /// The account.
    let account: Account
    /// The service.
    let service: [UInt8]
    /// Returns whether the user belongs to a group, or nil if the lookup fails.
    let isMember: ([UInt8]) -> Bool?
    /// Returns the lines of a file of root's, or nil if it cannot be read.
    let lines: (String) -> [[UInt8]]?
    /// The login shell, or nil if it is not known.
    var shell: [UInt8]? = nil
    /// Returns the user's record of failures in a folder, as pam_faillock.so keeps it, or nil.
    var failures: (String) -> [UInt8]? = { _ in nil }
    /// The time in seconds since the epoch, or nil if it is not known.
    var now: Int64? = nil
  }

  /// Returns whether the condition of a line holds for a user. Nil for a line of a module that is not known
  /// to check a condition, and for a condition that depends on more than the user and the service.
  func holds(for subject: ConditionSubject) -> Bool? {
    guard case .module(_, let arguments, _) = kind else { return nil }
    let words = arguments.map { String(decoding: $0, as: UTF8.self) }
    if asks(module: "pam_succeed_if.so") { return Self.succeeds(words, subject) }
    if asks(module: "pam_listfile.so") { return Self.isListed(words, subject) }
    if asks(module: "pam_shells.so") {
      return subject.lines(Self.shells).flatMap { lines in
        subject.shell.map { lines.contains($0.isEmpty ? Array("/bin/sh".utf8) : $0) }
      }
    }
    return refusal(for: subject).map { _ in false }
  }

  /// Whether this library knows the rules by which the module of a line refuses users.
  var hasKnownRules: Bool {
    ["pam_succeed_if.so", "pam_listfile.so", "pam_shells.so", "pam_nologin.so", "pam_faillock.so"]
      .contains { asks(module: $0) }
  }

  private static let shells = "/etc/shells"
  private static let nologin = ["/run/nologin", "/var/run/nologin", "/etc/nologin"]

  /// Returns why the module of a line refuses a user, whatever the user types, in words; nil if it does not, if
  /// that is not known, or if the line is a condition of an administrator's.
  func refusal(for subject: ConditionSubject) -> String? {
    guard case .module(_, let arguments, _) = kind else { return nil }
    let words = arguments.map { String(decoding: $0, as: UTF8.self) }
    let place = VisibleText.escaping(position.text)
    if asks(module: "pam_nologin.so"), subject.account.uid != 0 {
      let named = words.first { $0.hasPrefix("file=") }.map { [String($0.dropFirst(5))] }
      return (named ?? Self.nologin).first { subject.lines($0) != nil }.map {
        "pam_nologin.so refuses all users but root while \(VisibleText.escaping(Array($0.utf8))) "
          + "exists: \(place)"
      }
    }
    if asks(module: "pam_shells.so"), let shell = subject.shell, holds(for: subject) == false {
      return "pam_shells.so refuses the shell \(VisibleText.escaping(shell)), which is not in "
        + "\(Self.shells): \(place)"
    }
    if asks(module: "pam_faillock.so") {
      let rules = FailureTally.Rules(words, lines: subject.lines)
      let isPrivileged =
        subject.account.uid == 0
        || rules.privilegedGroup.map { subject.isMember($0) != false } ?? false
      guard let now = subject.now, let record = subject.failures(rules.folder),
        FailureTally(record).isLocked(rules, isPrivileged: isPrivileged, now: now)
      else { return nil }
      return "pam_faillock.so has locked the account after too many wrong passwords: \(place)"
    }
    return nil
  }

  /// Returns whether all conditions of pam_succeed_if.so hold (pam_succeed_if(8)).
  private static func succeeds(_ words: [String], _ subject: ConditionSubject) -> Bool? {
    // The user who calls the program is another one.
    guard !words.contains("use_uid") else { return nil }
    let options: Set = ["quiet", "quiet_success", "quiet_fail", "debug", "audit"]
    let rest = words.filter { !options.contains($0) }
    guard !rest.isEmpty, rest.count % 3 == 0 else { return nil }
    var isKnown = true
    for start in stride(from: 0, to: rest.count, by: 3) {
      switch condition(rest[start], rest[start + 1], rest[start + 2], subject) {
      case .some(false): return false
      case .some(true): continue
      case nil: isKnown = false
      }
    }
    return isKnown ? true : nil
  }

  private static func condition(
    _ field: String, _ comparison: String, _ value: String, _ subject: ConditionSubject
  ) -> Bool? {
    let text: String
    switch field {
    case "user": text = String(decoding: subject.account.name, as: UTF8.self)
    case "service": text = String(decoding: subject.service, as: UTF8.self)
    case "uid": return number(Int64(subject.account.uid), comparison, value)
    case _: return nil
    }
    switch comparison {
    case "=": return text == value
    case "!=": return text != value
    case "in": return value.split(separator: ":").contains { $0 == text }
    case "notin": return !value.split(separator: ":").contains { $0 == text }
    case "ingroup" where field == "user": return isMember(value, subject)
    case "notingroup" where field == "user": return isMember(value, subject).map { !$0 }
    case _: return nil
    }
  }

  private static func isMember(_ groups: String, _ subject: ConditionSubject) -> Bool? {
    let answers = groups.split(separator: ":").map { subject.isMember(Array($0.utf8)) }
    return answers.contains(true) ? true : answers.contains(nil) ? nil : false
  }

  private static func number(_ own: Int64, _ comparison: String, _ value: String) -> Bool? {
    guard let value = Int64(value) else { return nil }
    switch comparison {
    case "eq": return own == value
    case "ne": return own != value
    case "lt": return own < value
    case "le": return own <= value
    case "gt": return own > value
    case "ge": return own >= value
    case _: return nil
    }
  }

  /// Returns whether pam_listfile.so lets the user pass (pam_listfile(8)).
  private static func isListed(_ words: [String], _ subject: ConditionSubject) -> Bool? {
    func value(_ name: String) -> String? {
      words.first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
    }
    guard value("item") == "user", value("apply") == nil, let file = value("file"),
      let sense = value("sense"), let lines = subject.lines(file)
    else { return nil }
    let isListed = lines.contains(subject.account.name)
    switch sense {
    case "allow": return isListed
    case "deny": return !isListed
    case _: return nil
    }
  }
}
