import MFAAttempt
import MFABase
import MFAPAMStack
import MFAWire

/// What a relay reports about its host for one request: what the resident service would ask the
/// operating system of the host. PROTOCOL.md defines the encoding.
///
/// MUST 1: encoded facts parse to equal facts, and no other bytes parse. (`HostFactsTests`)
/// MUST 2: what could not be determined is marked as uncertain, and never reported as absent.
/// (`HostFactsTests.uncertain`, `HostFactsTests.tooMuch`, `HostFactsTests.withoutDirectory`)
package struct HostFacts: Equatable, Sendable {
  /// The user whose process connected to the relay, as the kernel reports it: the effective user ID,
  /// or the real one of a helper that manages factors.
  package private(set) var peerUser: UInt32
  /// The account with the ID `peerUser`, or nil if no account has this ID.
  package internal(set) var caller: AccountFacts?
  /// The account that signs in, or nil if no account has the name that was entered.
  package internal(set) var user: AccountFacts?
  /// Whether no lookup of an account failed.
  package internal(set) var isLookupCertain: Bool
  /// What `Account.sharing(at:)` returns for the account that signs in, for 0, 1, ... until it returns
  /// nil for another index than 0.
  package private(set) var sharing: [Account?]
  /// The service files.
  package internal(set) var stacks: ReportedStacks
  /// The settings of the host's sshd, as far as a sign-in depends on them.
  package private(set) var secureShell: SecureShellConfiguration
  /// The time in seconds since the host was started, or nil if it is unknown.
  package private(set) var sinceBoot: Int64?

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

// MARK: Encoding

extension HostFacts: WireMessage {
  package static var kind: UInt8 { 0x31 }

  /// Creates facts whose fields are read next.
  package init() {
    self.init(
      peerUser: 0, caller: nil, user: nil, isLookupCertain: false, sharing: [], stacks: .unknown,
      secureShell: .unknown, sinceBoot: nil)
  }

  /// Reads or writes each field.
  package mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.number(&peerUser)
    try coder.value(&caller)
    try coder.value(&user)
    try coder.flag(&isLookupCertain)
    try Self.sharing(&sharing, &coder)
    try stacks.fields(&coder)
    var (graceTime, leavesOtherMethod) = (secureShell.graceTime, secureShell.leavesOtherMethod)
    try Self.seconds(&graceTime, &coder)
    try coder.flag(&leavesOtherMethod)
    secureShell = SecureShellConfiguration(
      graceTime: graceTime, leavesOtherMethod: leavesOtherMethod)
    try Self.seconds(&sinceBoot, &coder)
  }

  private static func sharing(
    _ sharing: inout [Account?], _ coder: inout Coder
  ) throws(PacketError) {
    try coder.list(&sharing, most: UInt8(mostSharing), placeholder: nil) {
      (account: inout Account?, coder: inout Coder) throws(PacketError) in
      try coder.optional(&account, placeholder: .nobody) {
        (account: inout Account, coder: inout Coder) throws(PacketError) in
        try coder.account(&account)
      }
    }
    // The system may know no account for an ID that /etc/passwd has several names for.
    guard !sharing.dropFirst().contains(nil) else { throw .malformed }
  }

  private static func seconds(_ seconds: inout Int64?, _ coder: inout Coder) throws(PacketError) {
    try coder.number(&seconds)
    guard seconds ?? 0 >= 0 else { throw .malformed }
  }

  /// Reads facts.
  package init(_ encoded: Span<UInt8>) throws(PacketError) {
    guard encoded.count <= Self.longest else { throw .malformed }
    try self.init(packet: SecretBytes(copying: encoded))
  }

  /// Returns the encoding. If it would be too long, it contains no service files, or no groups
  /// either, and marks them as uncertain.
  package func encoded() -> [UInt8] {
    for facts in [self, withoutFiles, withoutFiles.withoutGroups] {
      guard let packet = facts.packet(), packet.count <= Self.longest else { continue }
      return packet.span.copied()
    }
    // Only names that are longer than any parsed name lead here. Nothing parses as facts.
    return []
  }

  private var withoutFiles: HostFacts {
    var facts = self
    facts.stacks = .unknown
    return facts
  }

  private var withoutGroups: HostFacts {
    var facts = self
    facts.caller = caller?.withoutGroups
    facts.user = user?.withoutGroups
    return facts
  }
}

extension Coder {
  /// An account.
  mutating func account(_ account: inout Account) throws(PacketError) {
    var (name, uid) = (account.name, account.uid)
    try self.name(&name, longest: AccountFacts.longestName)
    guard !name.contains(0) else { throw .malformed }
    try number(&uid)
    account = Account(name: name, uid: uid)
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
    package fileprivate(set) var name: [UInt8]
    /// The file, or nil if none with this name exists.
    package fileprivate(set) var file: StackFile?

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
  package private(set) var lookups: [Lookup]
  /// Whether each file could be read and is reported.
  package private(set) var areCertain: Bool

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

  mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.flag(&areCertain)
    try coder.list(&lookups, most: UInt8(Self.mostLookups), placeholder: Lookup([], nil)) {
      (lookup: inout Lookup, coder: inout Coder) throws(PacketError) in
      try coder.bytes(&lookup.name, longest: AccountFacts.longestName)
      try coder.optional(&lookup.file, placeholder: StackFile(path: [], contents: [])) {
        (file: inout StackFile, coder: inout Coder) throws(PacketError) in
        var (path, contents) = (file.path, file.contents)
        try coder.bytes(&path, longest: Self.longestPath)
        try coder.bytes(&contents)
        file = StackFile(path: path, contents: contents)
      }
    }
    for (lookup, next) in zip(lookups, lookups.dropFirst()) {
      guard lookup.name.lexicographicallyPrecedes(next.name) else { throw .malformed }
    }
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
