import MFAAttempt
import MFABase
import MFAPAMStack

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

/// The service files of a host that matter for one service, as its relay reported them.
///
/// MUST 1: a file that was not reported is refused, and does not count as absent.
/// (`HostFactsTests.unreportedFile`)
package struct ReportedStacks: StackSource, Equatable, Sendable {
  /// A name that was looked up.
  package struct Lookup: Equatable, Sendable {
    /// The name of the service, or of an included file.
    package let name: [UInt8]
    /// The file, or nil if none with this name exists.
    package let file: StackFile?

    /// Creates the result of a lookup.
    package init(_ name: [UInt8], _ file: StackFile?) {
      self.name = name
      self.file = file
    }

    /// Returns whether name, path and contents are equal.
    package static func == (first: Lookup, second: Lookup) -> Bool {
      first.name == second.name && first.file?.path == second.file?.path
        && first.file?.contents == second.file?.contents
    }
  }

  /// The results, in the order of the names.
  package let lookups: [Lookup]
  /// Whether each file could be read and is reported.
  package let areCertain: Bool

  /// The largest number of lookups that are reported.
  package static let mostLookups = 100
  /// The largest number of bytes in all names, paths and files together.
  package static let longest = 45_000
  /// The longest path in bytes.
  package static let longestPath = 1024

  /// Creates the source.
  package init(_ lookups: [Lookup], areCertain: Bool) {
    self.lookups = lookups.sorted { $0.name.lexicographicallyPrecedes($1.name) }
    self.areCertain = areCertain
  }

  /// Files of which nothing is known.
  package static var unknown: ReportedStacks { ReportedStacks([], areCertain: false) }

  /// Returns the file that the host has by this name.
  package func file(_ name: [UInt8]) throws(StackRefusal) -> StackFile? {
    guard let lookup = lookups.first(where: { $0.name == name }) else {
      throw .system(file: name, .forbidden(.open))
    }
    return lookup.file
  }
}

/// A source of service files that remembers what was looked up in another source.
final class StackRecorder<Source: StackSource>: StackSource {
  private let source: Source
  private var lookups: [ReportedStacks.Lookup] = []
  private var isCertain = true
  private var bytesLeft = ReportedStacks.longest

  init(_ source: Source) { self.source = source }

  /// What was looked up until now.
  var recorded: ReportedStacks { ReportedStacks(lookups, areCertain: isCertain) }

  func file(_ name: [UInt8]) throws(StackRefusal) -> StackFile? {
    if let earlier = lookups.first(where: { $0.name == name }) { return earlier.file }
    do throws(StackRefusal) {
      let file = try source.file(name)
      record(name, file)
      return file
    } catch {
      isCertain = false
      throw error
    }
  }

  private func record(_ name: [UInt8], _ file: StackFile?) {
    let bytes = name.count &+ (file?.path.count ?? 0) &+ (file?.contents.count ?? 0)
    guard lookups.count < ReportedStacks.mostLookups, name.count <= AccountFacts.longestName,
      file?.path.count ?? 0 <= ReportedStacks.longestPath, bytes <= bytesLeft
    else {
      isCertain = false
      return
    }
    bytesLeft &-= bytes
    lookups.append(ReportedStacks.Lookup(name, file))
  }
}
