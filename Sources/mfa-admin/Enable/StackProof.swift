import PAMStack

/// Whether a service's stack asks the password first, then the module, and lets nobody by.
///
/// It is judged by what PAMStack reads, which is what libpam reads.
///
/// MUST 1: a line that may be passed over, or is asked of somebody without the password, is never
/// taken for good. (`StackPlanTests`)
struct StackProof {
  /// What is wrong with a stack.
  enum Obstacle: Error, Equatable {
    /// It asks for no password.
    case noPassword
    /// No `auth` line asks the module.
    case missing
    /// The module's `auth` line denies nobody for certain.
    case toothless(at: StackPosition)
    /// This line may end the stack before the module's, or jump over it.
    case passedOver(by: StackPosition)
    /// After this line, a password that is wrong is no end: a code is asked for all the same.
    case wrongPasswordGoesOn(StackPosition)
    /// The module's `account` line will not do.
    case account(AccountLine)
    /// The stack cannot be told.
    case unknown(StackRefusal)

    /// In words.
    var sentence: String {
      switch self {
      case .noPassword: "PAM asks for no password there"
      case .missing: "no auth line asks pam_mfa.so"
      case .toothless(let position): "\(Self.text(position)) denies nobody for certain"
      case .passedOver(let position):
        "\(Self.text(position)) may end the stack before pam_mfa.so, or jump over it"
      case .wrongPasswordGoesOn(let position):
        "after \(Self.text(position)) a code would be asked of people with a wrong password too"
      case .account(let line):
        StackFinding.reason(line)
          + (line.obstacle.map { " (\(VisibleText.escaping($0)))" } ?? "")
      case .unknown(let refusal):
        "\(VisibleText.escaping(refusal.place)): \(StackFinding.reason(refusal))"
      }
    }

    private static func text(_ position: StackPosition) -> String {
      VisibleText.escaping(position.text)
    }
  }

  /// The module.
  static var module: StaticString { "pam_mfa.so" }

  /// Modules that ask for a password, or have it.
  private static let passwords: [StaticString] = [
    "pam_unix.so", "pam_sss.so", "pam_ldap.so", "pam_krb5.so", "pam_winbind.so",
    "pam_systemd_home.so",
  ]

  /// Whether a line asks for a password.
  static func asksPassword(_ entry: StackEntry) -> Bool {
    passwords.contains { entry.asks(module: $0) }
  }

  /// The first line of a stack that asks the module; nil where there is none.
  static func line<Source: StackSource>(
    of service: [UInt8], in source: Source
  ) throws(StackRefusal) -> StackPosition? {
    let stack = try ServiceStack(.auth, of: service, from: source)
    return stack.entries.first { $0.asks(module: module) }?.position
  }

  /// What is wrong with the stack of a service; nil for nothing.
  static func obstacle<Source: StackSource>(
    of service: [UInt8], in source: Source
  ) -> Obstacle? {
    do throws(StackRefusal) {
      let stack = try ServiceStack(.auth, of: service, from: source)
      if let obstacle = authObstacle(stack, of: service) { return obstacle }
    } catch {
      return .unknown(error)
    }
    let account = AccountLine(
      of: module, service: service, authArguments: [],
      isCalledByRoot: CallingUser.isRoot(at: service), from: source)
    if case .certain = account { return nil }
    return .account(account)
  }

  private static func authObstacle(_ stack: ServiceStack, of service: [UInt8]) -> Obstacle? {
    let entries = stack.entries
    guard let index = entries.firstIndex(where: { $0.asks(module: module) }) else {
      return .missing
    }
    let own = entries[index]
    guard own.level == 0, own.control?.deniesEveryFailure == true else {
      return .toothless(at: own.position)
    }
    for (other, entry) in entries[..<index].enumerated() {
      // Whoever is not root goes by it, and root is not asked there.
      if !CallingUser.isRoot(at: service), entry.asks(module: "pam_rootok.so"),
        entry.control?.jumps.isEmpty == true
      {
        continue
      }
      if stack.mayPassOver(index, at: other) { return .passedOver(by: entry.position) }
    }
    guard let password = entries[..<index].firstIndex(where: { asksPassword($0) }) else {
      return .noPassword
    }
    for entry in entries[password..<index] where entry.level == 0 {
      guard entry.asks(module: "pam_deny.so") || asksPassword(entry) || isFaillock(entry) else {
        continue
      }
      if entry.control?.endsAtEveryFailure == true { return nil }
    }
    return .wrongPasswordGoesOn(entries[password].position)
  }

  private static func isFaillock(_ entry: StackEntry) -> Bool {
    guard case .module(_, let arguments, _) = entry.kind else { return false }
    return entry.asks(module: "pam_faillock.so") && arguments.contains(Array("authfail".utf8))
  }
}

extension StackEntry {
  /// What becomes of the module's answer; nil where it is no module.
  var control: StackControl? {
    switch kind {
    case .substack: nil
    case .module(_, _, let control): control
    }
  }
}
