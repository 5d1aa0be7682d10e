import MFAAttempt
import MFARealm
import MFAPAMStack
import MFABase

/// Facts for the tests.
enum FactSamples {
  static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  static func account(_ name: String, _ uid: UInt32) -> Account {
    Account(name: bytes(name), uid: uid)
  }

  /// Facts with a value in each field.
  static let full = HostFacts(
    peerUser: 1000,
    caller: AccountFacts(account: account("alice", 1000), groups: [], areGroupsCertain: false),
    user: AccountFacts(
      account: account("Bob", 1001), groups: [bytes("users"), bytes("wheel")],
      areGroupsCertain: true),
    isLookupCertain: true, sharing: [nil, account("bob", 1001), account("bob2", 1001)],
    stacks: ReportedStacks(
      [
        ReportedStacks.Lookup(
          bytes("sshd"), StackFile(path: bytes("/etc/pam.d/sshd"), contents: bytes("auth\n"))),
        ReportedStacks.Lookup(bytes("other"), nil),
      ], areCertain: true),
    secureShell: SecureShellConfiguration(graceTime: 60, leavesOtherMethod: true), sinceBoot: 12)

  /// Facts with entries of a directory service.
  static let identified = full.identified { _ in .entry(bytes("0b5fb5b2-8a4b-103e-9f0f")) }
  /// Facts about an account that is not in the directory.
  static let local = full.identified { _ in .local }

  /// Facts with as little as possible.
  static let empty = HostFacts(
    peerUser: 0, caller: nil, user: nil, isLookupCertain: false, sharing: [], stacks: .unknown,
    secureShell: SecureShellConfiguration(graceTime: nil, leavesOtherMethod: false),
    sinceBoot: nil)
}
