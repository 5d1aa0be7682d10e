import MFAPAMStack

/// What the module of a line can return for a claimant.
///
/// MUST 1: a module that is not known can return anything. (`StackEffectTests`)
struct ModuleResults {
  /// The name of the service.
  let service: [UInt8]
  /// The type of the stack.
  let type: StackType
  /// Who tries to sign in.
  let claimant: Claimant

  private static let all = PAMReturnCode.allCases.filter { $0 != .incomplete }
  private static let failures = all.filter(\.isFailure)
  /// What a module returns if its library or its function cannot be loaded.
  private static let notLoaded: [PAMReturnCode] = [.moduleUnknown]
  private static let refusals = failures.filter { $0 != .moduleUnknown }

  /// Returns what a line's module can return.
  func codes(_ entry: StackEntry) -> [PAMReturnCode] {
    guard isLoaded(entry) else { return Self.notLoaded }
    let codes = codesOfLoaded(entry)
    return claimant.mayHaveExpiredPassword ? codes : codes.filter { $0 != .newTokenRequired }
  }

  private func codesOfLoaded(_ entry: StackEntry) -> [PAMReturnCode] {
    switch ModuleKind(entry) {
    case .code: ours(entry)
    case .password: password(entry)
    case .otherAuthenticator:
      type == .auth && !claimant.authenticators.contains(.other)
        ? Self.refusals + [.ignore]
        : Self.all
    case .condition:
      entry.holds(for: service).map { [$0 ? .success : .authenticationError] } ?? Self.all
    case .caller: claimant.isCalledByRoot ? [.success] : [.authenticationError]
    case .denial:
      // In account stacks, pam_faillock.so only resets its counter.
      entry.asks(module: "pam_deny.so") || type == .auth
        ? [Self.code(ofDenialIn: type)] : [.success, .ignore]
    case .permission: [.success]
    case .preparation: [.success, .ignore] + Self.refusals
    case .unknown: Self.all
    }
  }

  /// Returns whether a line calls pam_mfa.so, and the line applies to the claimant.
  func calls(_ entry: StackEntry) -> Bool {
    guard ModuleKind(entry) == .code, isLoaded(entry) else { return false }
    return !entry.callsModuleAfterKey || type != .auth || claimant.authenticators.contains(.key)
  }

  private func isLoaded(_ entry: StackEntry) -> Bool {
    guard case .module(let name, _, _) = entry.kind else { return true }
    return !claimant.unloadable.contains(name)
  }

  private static func code(ofDenialIn type: StackType) -> PAMReturnCode {
    switch type {
    case .auth: .authenticationError
    case .account: .accountExpired
    case .password: .tokenError
    case .session: .sessionError
    }
  }

  private func ours(_ entry: StackEntry) -> [PAMReturnCode] {
    guard calls(entry) else { return [.ignore] }
    switch (type, claimant.enrollment) {
    case (.auth, .enrolled):
      return claimant.authenticators.contains(.code) ? [.success] : Self.refusals
    case (.auth, .notRequired), (.auth, .required): return [.ignore]
    case (.account, .required): return Self.refusals
    case (.account, .enrolled), (.account, .notRequired): return [.ignore, .success]
    case (.password, _), (.session, _): return [.ignore, .success]
    }
  }

  private func password(_ entry: StackEntry) -> [PAMReturnCode] {
    guard type == .auth, !claimant.authenticators.contains(.password) else { return Self.all }
    // Some modules leave users to other modules if they do not know them.
    let mayIgnore = ModuleKind.arguments(entry).contains { $0.hasPrefix("ignore_") }
    return Self.refusals + (mayIgnore ? [.ignore] : [])
  }
}
