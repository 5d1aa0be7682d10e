import MFAAdmin
import MFAPAMStack

/// One way into a service: a sequence of proofs by which an account can reach it.
///
/// Every tool that says whether a service asks for a code, or whether a setting is safe, uses these
/// ways: `enable`, `doctor`, `check`, `explain`, `readiness`, `report`, metrics and hints.
///
/// MUST 1: a way on which an attacker can prove nothing, or a code alone, is never reported as one with
/// a first factor. (`SignInWayTests`; `EndToEnd.UnprovenSignIns.nothingProven`)
package struct SignInWay: Equatable {
  /// What a way proves apart from a code.
  package enum FirstFactor: Equatable {
    /// Something that only the user has or knows.
    case proven
    /// Nothing, if the module or the condition of this line lets it pass.
    case uncertain(StackEntry)
    /// Nothing: users who have not enrolled are not asked for anything, others for a code alone.
    case missing
  }

  /// The methods of sshd, in order; empty for a service that only calls PAM.
  package let methods: [String]
  /// What is proven apart from a code.
  package let firstFactor: FirstFactor
  /// Whether users who have enrolled are asked for a code.
  package let asksForCode: Bool
  /// Whether the way uses the `auth` lines of PAM.
  package let usesPAM: Bool
  /// Whether pam_mfa.so denies users who have not enrolled, because sshd has told it of no method that
  /// was completed before, and no other line could deny.
  package let deniesUnenrolled: Bool

  /// Whether sshd verifies a password itself, with Kerberos, and does not call PAM for it.
  package let skipsPAMForPassword: Bool

  /// Whether the way is safe: something is proven first, and then a code.
  package var isSound: Bool { firstFactor != .missing && asksForCode }
}

extension ServiceWithModule {
  /// What the `auth` lines prove to a program that has verified nothing itself.
  static func firstFactor(of name: [UInt8], _ stack: ServiceStack) -> SignInWay.FirstFactor {
    let isCalledByRoot = !PAMCaller.isStartedByUsers(name)
    func isAdmitted(_ code: PAMReturnCode) -> Bool {
      UnprovenSignIn(at: name, moduleReturns: code, isCalledByRoot: isCalledByRoot)
        .isAdmitted(by: stack)
    }
    if isAdmitted(.ignore) { return .missing }
    // A tool that asks for the code of the user who starts it runs in a session of that user.
    let isInOwnSession = !isCalledByRoot && PAMCaller.isRoot(at: name)
    if !isInOwnSession, isAdmitted(.success) { return .missing }
    let claimants = [Claimant([], .notRequired)] + (isInOwnSession ? [] : [Claimant([.code])])
    for claimant in claimants {
      let effect = StackEffect(ofAuthStack: stack, of: name, for: claimant)
      if let entry = doubtful(effect) { return .uncertain(entry) }
    }
    return .proven
  }

  /// Returns the line because of which a claimant who has proven nothing might pass: one with a module
  /// that is not known, or else one that can leave out others. Nil if no such line is found.
  private static func doubtful(_ effect: StackEffect) -> StackEntry? {
    guard effect.canSucceed else { return nil }
    let unknown = effect.way.first { ModuleKind(effect.entries[$0.index]) == .unknown }
    let step =
      unknown
      ?? effect.way.first { step in
        let entry = effect.entries[step.index]
        guard case .module(_, let arguments, let control) = entry.kind else { return false }
        switch ModuleKind(entry) {
        case .condition:
          // A condition that skips lines, or a program that can verify anything.
          return entry.asks(module: "pam_exec.so") || entry.asks(module: "pam_rhosts.so")
            || step.codes.contains { control.action(for: $0).skipsLines }
        case .otherAuthenticator:
          // Users who have no device of this kind pass.
          return ["nouserok", "nullok"].contains { arguments.contains(Array($0.utf8)) }
        case .code, .password, .caller, .denial, .permission, .preparation, .unknown: return false
        }
      }
    return step.map { effect.entries[$0.index] }
  }

  /// The ways into a service that only calls PAM.
  package var ways: [SignInWay] {
    [
      SignInWay(
        methods: [], firstFactor: firstFactor, asksForCode: asksForCode, usesPAM: true,
        deniesUnenrolled: false, skipsPAMForPassword: false)
    ]
  }

  /// Returns the ways into sshd with settings for a connection. Root cannot use those that sshd forbids
  /// to root.
  package func ways(_ settings: SSHDSettings, isRoot: Bool = false) -> [SignInWay] {
    settings.openLists(isRoot: isRoot).flatMap { methods -> [SignInWay] in
      let way = way(methods, settings, countsKerberos: false)
      // sshd itself verifies the password of Kerberos, and then does not call PAM.
      guard settings.verifiesKerberosPassword, methods.contains("password") else { return [way] }
      return [way, self.way(methods, settings, countsKerberos: true)]
    }
  }

  private func way(
    _ methods: [String], _ settings: SSHDSettings, countsKerberos: Bool
  ) -> SignInWay {
    let usesPAM = settings.isOn("usepam")
    let calls = methods.indices.filter { index in
      usesPAM && SSHDSettings.asksPAM([methods[index]])
        && !(countsKerberos && methods[index] == "password")
    }
    // What PAM does not verify, sshd does: a key, a host, a ticket or a password.
    let isProven = calls.count < methods.count || firstFactor == .proven
    return SignInWay(
      methods: methods, firstFactor: isProven ? .proven : firstFactor,
      asksForCode: calls.contains { asksForCode(after: methods[..<$0]) },
      usesPAM: !calls.isEmpty,
      deniesUnenrolled: admitsUnproven
        && calls.contains { index in
          // sshd tells PAM what was completed before only for keyboard-interactive.
          index == methods.startIndex || !methods[index].hasPrefix("keyboard-interactive")
        }, skipsPAMForPassword: countsKerberos)
  }

  private func asksForCode(after methods: ArraySlice<String>) -> Bool {
    let claimant = Claimant(
      methods.contains("publickey") ? [.password, .other, .key] : [.password, .other])
    return !effect(for: claimant).canSucceed
  }

  /// Whether the `auth` lines admit a user who has not enrolled and has proven nothing to them.
  var admitsUnproven: Bool {
    UnprovenSignIn(
      at: name, moduleReturns: .ignore, isCalledByRoot: !PAMCaller.isStartedByUsers(name)
    ).isAdmitted(by: stack)
  }
}
