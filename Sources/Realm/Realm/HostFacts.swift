import MFAAttempt
import MFABase

/// What a relay reports about its host for one request: what the resident service would ask the
/// operating system of the host. PROTOCOL.md defines the encoding.
///
/// MUST 1: encoded facts parse to equal facts, and no other bytes parse. (`HostFactsTests`)
/// MUST 2: what could not be determined is marked as uncertain, and never reported as absent.
/// (`HostFactsTests.uncertain`, `HostFactsTests.tooMuch`, `HostFactsTests.withoutDirectory`)
package struct HostFacts: Equatable, Sendable {
  /// The user whose process connected to the relay, as the kernel reports it: the effective user ID,
  /// or the real one of a helper that manages factors.
  package let peerUser: UInt32
  /// The account with the ID `peerUser`, or nil if no account has this ID.
  package internal(set) var caller: AccountFacts?
  /// The account that signs in, or nil if no account has the name that was entered.
  package internal(set) var user: AccountFacts?
  /// Whether no lookup of an account failed.
  package internal(set) var isLookupCertain: Bool
  /// What `Account.sharing(at:)` returns for the account that signs in, for 0, 1, ... until it returns
  /// nil for another index than 0.
  package let sharing: [Account?]
  /// The service files.
  package internal(set) var stacks: ReportedStacks
  /// The settings of the host's sshd, as far as a sign-in depends on them.
  package let secureShell: SecureShellConfiguration
  /// The time in seconds since the host was started, or nil if it is unknown.
  package let sinceBoot: Int64?

  /// The largest number of bytes in the encoding.
  package static let longest = 60_000
  /// The largest number of elements in `sharing`.
  package static let mostSharing = 64

  /// Creates facts. Of the settings of sshd, the facts keep the limit on the time of a sign-in and
  /// whether another method is left.
  package init(
    peerUser: UInt32, caller: AccountFacts?, user: AccountFacts?, isLookupCertain: Bool,
    sharing: [Account?], stacks: ReportedStacks, secureShell: SecureShellConfiguration,
    sinceBoot: Int64?
  ) {
    self.peerUser = peerUser
    self.caller = caller
    self.user = user
    self.isLookupCertain = isLookupCertain
    self.sharing = sharing
    self.stacks = stacks
    self.secureShell = SecureShellConfiguration(
      graceTime: secureShell.graceTime, leavesOtherMethod: secureShell.leavesOtherMethod)
    self.sinceBoot = sinceBoot
  }

  /// The account whose factors a request concerns: the one that signs in, or the user of a helper.
  package var subject: AccountFacts? { user ?? caller }

  /// Returns the facts with the entry that the directory service has for the account that the request concerns.
  /// `identity` returns nil if the directory service does not answer: the account is then reported as one that could
  /// not be looked up, and the request is refused.
  package func identified(by identity: (Account) -> DirectoryIdentity?) -> HostFacts {
    guard let subject, user != nil || peerUser != 0 else {
      // Root, or an account that does not exist: the time taken does not tell which accounts exist.
      _ = identity(Account(name: [UInt8(ascii: "-")], uid: .max))
      return self
    }
    let found = identity(subject.account).map { subject.identified(by: $0) }
    var facts = self
    if user == nil { facts.caller = found } else { facts.user = found }
    if found == nil { facts.isLookupCertain = false }
    return facts
  }
}
