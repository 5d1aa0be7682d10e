import MFABase
import MFAAttempt
import MFAStore
import MFAModel
import MFASignIn
import MFAPAMStack
import MFAWire

@testable import MFAAdmin
@testable import MFADoctor
@testable import MFAServices

/// Reads the files of sshd, which the byte 0x1E separates: sshd_config, two files in the folder
/// sshd_config.d, and the output of `sshd -T`.
///
/// Every reported place exists and is printable. The connections in `sshd -T -C` queries are well formed.
enum SSHDTarget {
  private static let folder = "/etc/ssh/sshd_config.d"
  private static let paths = ["/etc/ssh/sshd_config", folder + "/00-a.conf", folder + "/50-b.conf"]

  static func check(_ input: [UInt8]) throws {
    let texts = parts(of: input, atMost: 4)
    let host = Host(texts: Array(texts.prefix(3)))
    let settings = SSHDSettings(texts.count > 3 ? texts[3] : texts[0])
    try checkSettings(settings)
    let file = SSHDFile(of: host)
    for line in file.lines {
      try checkPlace(line.place, texts)
      try require(
        !line.keyword.isEmpty && line.keyword == line.keyword.lowercased(),
        "a keyword is \(line.keyword)")
      if let match = line.match {
        try require(file.matches.indices.contains(match), "a line is under no Match line")
      }
    }
    for match in file.matches { try checkPlace(match.place, texts) }
    let connections = SSHDConnections(
      SSHDConnections.Server(file: file), users: [], accounts: .success([]), on: host)
    for choice in connections.choices {
      guard let specification = choice.connection.specification else { continue }
      try require(
        (4...5).contains(specification.utf8.count { $0 == UInt8(ascii: ",") })
          && specification.utf8.allSatisfy { $0 > 0x20 }, "a connection is \(specification)")
    }
    for failure in file.unread { try requireShowable(Array(failure.place.utf8), "a place") }
    try checkPlace(file.place(of: SSHDSettings.keys, saying: settings), texts)
    try checkDropIn(texts, file)
  }

  private static func checkPlace(_ place: String, _ texts: [[UInt8]]) throws {
    let parts = place.split(separator: ":")
    let index = try requireValue(
      paths.firstIndex { $0 == parts.first ?? "" }, "a place is not in a file: \(place)")
    guard parts.count > 1 else { return }
    let lines = texts[index].count { $0 == UInt8(ascii: "\n") } + 1
    let line = try requireValue(Int(parts[1]), "a place has no line")
    try require((1...lines).contains(line), "a place names a line that does not exist")
  }

  private static func checkSettings(_ settings: SSHDSettings) throws {
    for list in settings.methodLists ?? [] {
      for method in list { try require(!method.contains(","), "a method is a list") }
    }
    _ = settings.takesPasswords
    _ = settings.asksByKeyboard
  }

  /// Every setting that would override the drop-in is in one of the files.
  private static func checkDropIn(_ texts: [[UInt8]], _ file: SSHDFile) throws {
    _ = SecureShellDropIn.obstacle(in: file)
    for exception in SecureShellDropIn.exceptions(in: file) {
      try checkPlace(exception.place, texts)
    }
    for include in file.includes {
      try checkPlace(include.place, texts)
      try require(include.position <= file.lines.count, "an include is after the end")
    }
  }

  /// A host that has only the files of sshd.
  private struct Host: ExaminedHost {
    struct Stacks: StackSource {
      func file(_ name: [UInt8]) throws(StackRefusal) -> StackFile? { nil }
    }

    let texts: [[UInt8]]
    let stacks = Stacks()

    func text(of path: String) throws(AdminError) -> [UInt8]? {
      guard let index = paths.firstIndex(of: path), index < texts.count else { return nil }
      return texts[index]
    }

    func names(in folder: String) throws(AdminError) -> [String] {
      guard folder == SSHDTarget.folder else { return [] }
      return paths.prefix(texts.count).dropFirst().map { String($0.dropFirst(folder.count + 1)) }
    }

    func account(named name: [UInt8]) throws(AdminError) -> Account? {
      Account(name: name, uid: 1000)
    }

    func services() throws(StackRefusal) -> [[UInt8]] { [] }
    func configuration(at path: [UInt8]?) throws(ConfigurationError) -> Configuration {
      .defaults
    }
    func now() throws(AdminError) -> Int64 { 0 }
    var decidersGroup: UInt32? { nil }
    func isMember(_ account: Account, of group: [UInt8]) -> Bool? { nil }
    func groups(of account: Account) -> [String]? { nil }
    func members(ofGroups names: [[UInt8]]) -> [[[UInt8]]] { [] }
    func hasGroup(_ name: [UInt8]) -> Bool { true }
    func shadowEntries(of accounts: [Account]) -> [ShadowEntry] { [] }
    func accounts(named names: [[UInt8]]) -> [KnownAccount] { [] }
    func accounts() throws(AdminError) -> [KnownAccount] { [] }
    func stored() throws(AdminError) -> [UserReport] { [] }
    func users(withPhones numbers: [[UInt8]]) throws(AdminError) -> [String] { [] }
    func status(of path: String) throws(AdminError) -> PathStatus? { nil }
    func target(ofLink path: String) -> String? { nil }
    func fileSystemSpace(at path: String) throws(AdminError) -> FileSystemSpace {
      FileSystemSpace(bytes: 0, files: 0)
    }
    func tryWriting(in folder: String) throws(AdminError) -> Bool { true }
    func mayWriteAudit(_ program: String) throws(AdminError) -> Bool { false }
    func clockIsSynchronized() throws(AdminError) -> Bool? { true }
    func output(
      of program: String, _ arguments: [String]
    ) throws(AdminError) -> ProgramOutput? { nil }
    func stoppedLockHolders() -> [LockHolder] { [] }
    func auditLogProblem() throws(AdminError) -> AuditLogProblem? { nil }
    func storeComparison() throws(AdminError) -> StoreComparison { StoreComparison() }
    func renamedUsers() throws(AdminError) -> [Administration.RenamedAccount] { [] }
    func loadProblem(_ module: [UInt8]) -> String? { nil }
    func hasModule(_ module: [UInt8]) -> Bool { true }
    func recordedServices() -> Result<[RecordedService], AdminError> { .success([]) }
    func serverProcesses() -> [ServerProcess] { [] }
    var hostMounts: [String] { [] }
    func acceptedFindings() -> Result<AcceptedFindings, AdminError> {
      .success(AcceptedFindings())
    }
    func residentStatus() -> ResidentStatus { .stopped }
    func ownProbe() -> ProbeReply { ProbeReply() }
    func realmStatus() -> RealmStatus { .noRealm }
    func gatewayState(of path: [UInt8]) -> GatewayState {
      GatewayState(refusal: nil, service: .listens)
    }
  }
}
