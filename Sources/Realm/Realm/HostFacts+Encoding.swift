import MFABase
import MFAAttempt
import MFAPAMStack
import MFAWire

// The encoding of the facts. They are one message whose kind is the version of the encoding. Version 2 has entries of
// the directory service; it is written only if there is one, so that earlier verifiers read all other facts.
extension HostFacts {
  private static var version: UInt8 { 1 }
  private static var versionWithIdentities: UInt8 { 2 }

  private var hasIdentities: Bool {
    [user, caller].contains { $0 != nil && $0?.identity != .unknown }
  }

  // MARK: Writing

  /// Returns the encoding. If it would be too long, it contains no service files, or no groups
  /// either, and marks them as uncertain.
  package func encoded() -> [UInt8] {
    let reductions = [self, withoutFiles, withoutFiles.withoutGroups]
    for facts in reductions {
      var writer = PacketWriter()
      facts.write(to: &writer)
      guard let packet = writer.finish(), packet.count <= Self.longest else { continue }
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

  private func write(to writer: inout PacketWriter) {
    writer.begin(hasIdentities ? Self.versionWithIdentities : Self.version)
    writer.field(peerUser)
    Self.write(caller, withIdentity: hasIdentities, to: &writer)
    Self.write(user, withIdentity: hasIdentities, to: &writer)
    writer.field(isLookupCertain)
    writer.field(UInt8(clamping: sharing.count))
    for account in sharing {
      writer.field(account != nil)
      if let account { Self.write(account, to: &writer) }
    }
    writer.field(stacks.areCertain)
    writer.field(UInt8(clamping: stacks.lookups.count))
    for lookup in stacks.lookups {
      writer.field(lookup.name)
      writer.field(lookup.file != nil)
      guard let file = lookup.file else { continue }
      writer.field(file.path)
      writer.field(file.contents)
    }
    Self.write(secureShell.graceTime, to: &writer)
    writer.field(secureShell.leavesOtherMethod)
    Self.write(sinceBoot, to: &writer)
    writer.end()
  }

  private static func write(_ account: Account, to writer: inout PacketWriter) {
    writer.field(account.name)
    writer.field(account.uid)
  }

  private static func write(
    _ facts: AccountFacts?, withIdentity: Bool, to writer: inout PacketWriter
  ) {
    writer.field(facts != nil)
    guard let facts else { return }
    write(facts.account, to: &writer)
    writer.field(facts.areGroupsCertain)
    writer.field(UInt16(clamping: facts.groups.count))
    for group in facts.groups { writer.field(group) }
    guard withIdentity else { return }
    switch facts.identity {
    case .unknown: writer.field(0 as UInt8)
    case .local: writer.field(1 as UInt8)
    case .entry(let id):
      writer.field(2 as UInt8)
      writer.field(id)
    }
  }

  private static func write(_ seconds: Int64?, to writer: inout PacketWriter) {
    writer.field(seconds != nil)
    if let seconds { writer.field(seconds) }
  }

  // MARK: Reading

  /// Reads facts.
  package init(_ encoded: Span<UInt8>) throws(PacketError) {
    guard encoded.count <= Self.longest else { throw .malformed }
    var reader = PacketReader(encoded)
    guard let version = try reader.next() else { throw .malformed }
    guard version == Self.version || version == Self.versionWithIdentities else {
      throw .unknownKind(version)
    }
    let withIdentity = version == Self.versionWithIdentities
    let peerUser = try reader.number(UInt32.self)
    let caller = try Self.accountFacts(&reader, withIdentity: withIdentity)
    let user = try Self.accountFacts(&reader, withIdentity: withIdentity)
    let isLookupCertain = try reader.flag()
    let sharing = try Self.sharing(&reader)
    let stacks = try Self.stacks(&reader)
    let graceTime = try Self.seconds(&reader)
    let leavesOtherMethod = try reader.flag()
    let sinceBoot = try Self.seconds(&reader)
    guard try reader.next() == nil else { throw .malformed }
    self.init(
      peerUser: peerUser, caller: caller, user: user, isLookupCertain: isLookupCertain,
      sharing: sharing, stacks: stacks,
      secureShell: SecureShellConfiguration(
        graceTime: graceTime, leavesOtherMethod: leavesOtherMethod),
      sinceBoot: sinceBoot)
    guard hasIdentities == withIdentity else { throw .malformed }
  }

  @_lifetime(reader: copy reader)
  private static func account(_ reader: inout PacketReader) throws(PacketError) -> Account {
    let name = try reader.bytes(longest: AccountFacts.longestName)
    guard !name.isEmpty, !name.contains(0) else { throw .malformed }
    return Account(name: name, uid: try reader.number(UInt32.self))
  }

  @_lifetime(reader: copy reader)
  private static func accountFacts(
    _ reader: inout PacketReader, withIdentity: Bool
  ) throws(PacketError) -> AccountFacts? {
    guard try reader.flag() else { return nil }
    let account = try account(&reader)
    let areGroupsCertain = try reader.flag()
    let count = Int(try reader.number(UInt16.self))
    guard count <= AccountFacts.mostGroups else { throw .malformed }
    var groups: [[UInt8]] = []
    for _ in 0..<count {
      groups.append(try reader.bytes(longest: AccountFacts.longestName))
    }
    return AccountFacts(
      account: account, groups: groups, areGroupsCertain: areGroupsCertain,
      identity: withIdentity ? try identity(&reader) : .unknown)
  }

  @_lifetime(reader: copy reader)
  private static func identity(
    _ reader: inout PacketReader
  ) throws(PacketError) -> DirectoryIdentity {
    switch try reader.number(UInt8.self) {
    case 0: return .unknown
    case 1: return .local
    case 2:
      let id = try reader.bytes(longest: DirectoryIdentity.longestID)
      guard !id.isEmpty else { throw .malformed }
      return .entry(id)
    default: throw .malformed
    }
  }

  @_lifetime(reader: copy reader)
  private static func sharing(_ reader: inout PacketReader) throws(PacketError) -> [Account?] {
    let count = Int(try reader.number(UInt8.self))
    guard count <= mostSharing else { throw .malformed }
    var sharing: [Account?] = []
    for index in 0..<count {
      let isThere = try reader.flag()
      // The system may know no account for an ID that /etc/passwd has several names for.
      guard isThere || index == 0 else { throw .malformed }
      sharing.append(isThere ? try account(&reader) : nil)
    }
    return sharing
  }

  @_lifetime(reader: copy reader)
  private static func stacks(_ reader: inout PacketReader) throws(PacketError) -> ReportedStacks {
    let areCertain = try reader.flag()
    let count = Int(try reader.number(UInt8.self))
    guard count <= ReportedStacks.mostLookups else { throw .malformed }
    var lookups: [ReportedStacks.Lookup] = []
    for _ in 0..<count {
      let name = try reader.bytes(longest: AccountFacts.longestName)
      if let last = lookups.last {
        guard last.name.lexicographicallyPrecedes(name) else { throw .malformed }
      }
      guard try reader.flag() else {
        lookups.append(ReportedStacks.Lookup(name, nil))
        continue
      }
      let path = try reader.bytes(longest: ReportedStacks.longestPath)
      let file = StackFile(path: path, contents: try reader.bytes())
      lookups.append(ReportedStacks.Lookup(name, file))
    }
    return ReportedStacks(lookups, areCertain: areCertain)
  }

  @_lifetime(reader: copy reader)
  private static func seconds(_ reader: inout PacketReader) throws(PacketError) -> Int64? {
    guard try reader.flag() else { return nil }
    let seconds = try reader.number(Int64.self)
    guard seconds >= 0 else { throw .malformed }
    return seconds
  }
}
