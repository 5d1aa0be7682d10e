import MFAAdmin
import MFAPAMStack
import MFABase

/// What an account has with which a user can prove to sshd and to PAM who the user is.
package struct AccountMeans: Hashable {
  /// Whether the account has a key or a certificate that sshd accepts.
  package enum Key: Hashable {
    case noKey, present
    /// It may have one: from a command or an authority, or in a file that cannot be looked at.
    case unknown(String)
  }

  /// Whether a password can be right.
  package let hasPassword: Bool
  /// The keys.
  package let key: Key
  /// Whether the user is asked for a code.
  package let isEnrolled: Bool
}

/// Whether an account can reach a shell through sshd.
package enum AccountAccess: Equatable {
  /// On some way.
  case open
  /// That is not known, for this reason.
  case unknown(String)
  /// On none of the ways, for this reason.
  case closed(String)
}

extension ServiceWithModule {
  /// Returns whether an account can reach a shell through sshd with these settings.
  ///
  /// MUST 1: an account is called open or closed only if nothing unknown decides it.
  /// (`AccountAccessTests`)
  package func access(
    with means: AccountMeans, _ settings: SSHDSettings, isRoot: Bool = false
  ) -> AccountAccess {
    var doubt: String?
    let ways = ways(settings, isRoot: isRoot)
    for way in ways {
      guard means.isEnrolled || !way.deniesUnenrolled, passes(way, means, settings) else {
        continue
      }
      guard let reason = way.doubt(means, settings) else { return .open }
      doubt = doubt ?? reason
    }
    if let doubt { return .unknown(doubt) }
    let needsKey = ways.allSatisfy { $0.methods.contains("publickey") }
    if !ways.isEmpty, needsKey, means.key == .noKey {
      return .closed("sshd requires a key, and the account has none")
    }
    return .closed(
      means.hasPassword
        ? "no way into sshd is left for the account"
        : "a password is required, and the account has none")
  }

  /// Returns whether the account has everything that the way needs, as far as that is known.
  private func passes(
    _ way: SignInWay, _ means: AccountMeans, _ settings: SSHDSettings
  ) -> Bool {
    var isKeyProven = false
    for method in way.methods {
      switch method {
      case "publickey":
        guard means.key != .noKey else { return false }
        isKeyProven = true
      case _ where !SSHDSettings.asksPAM([method]): continue
      case _ where !settings.isOn("usepam"):
        guard means.hasPassword else { return false }
      case "password" where way.skipsPAMForPassword: continue
      case _:
        var authenticators: Claimant.Authenticators = [.other, .password]
        if means.isEnrolled { authenticators.insert(.code) }
        if isKeyProven { authenticators.insert(.key) }
        var claimant = Claimant(authenticators, means.isEnrolled ? .enrolled : .notRequired)
        // Another module may know a password that the shadow database does not have.
        claimant.passwordIsLocked = !means.hasPassword
        guard effect(for: claimant).canSucceed else { return false }
      }
    }
    return true
  }
}

extension SignInWay {
  /// Returns why it is not known that the account can use the way, or nil.
  fileprivate func doubt(_ means: AccountMeans, _ settings: SSHDSettings) -> String? {
    for method in methods {
      switch method {
      case "publickey":
        if case .unknown(let reason) = means.key { return reason }
      case "hostbased": return "trusted hosts are not known"
      case "gssapi-with-mic", "gssapi-keyex": return "Kerberos tickets are not known"
      case _: continue
      }
    }
    return skipsPAMForPassword ? "passwords of Kerberos are not known" : nil
  }
}

extension SSHDSettings {
  /// Returns whether the settings let an account in with what it may have, if PAM asks for a password
  /// alone.
  package func mayAdmit(_ means: AccountMeans) -> Bool {
    openLists().contains { list in
      list.allSatisfy { method in
        if method == "publickey" { return means.key != .noKey }
        return !Self.asksPAM([method]) || means.hasPassword
      }
    }
  }

  /// Where sshd gets keys or certificates of which no file of the user's says anything, in words; nil if
  /// nowhere.
  package var keySource: String? {
    if let command = value(of: "authorizedkeyscommand"), command != "none" {
      return "the keys of AuthorizedKeysCommand \(VisibleText.escaping(command)) are not known"
    }
    if let authority = value(of: "trustedusercakeys"), authority != "none" {
      return
        "the certificates of TrustedUserCAKeys \(VisibleText.escaping(authority)) are not known"
    }
    return nil
  }
}
