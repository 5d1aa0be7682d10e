import PAMStack

/// What switching a service on would write.
struct ServicePlan {
  /// The service.
  let service: [UInt8]
  /// The files, in the order in which they are written.
  let files: [ChangedFile]
  /// The line that asks for codes already; nothing is to be done then.
  let present: StackPosition?
  /// Settings of sshd that hold in place of ours, for some sign-ins.
  var exceptions: [SecureShellDropIn.Occurrence] = []

  /// The service as a person reads it.
  var name: String { VisibleText.escaping(service) }

  private static let folder = "/etc/pam.d"
  private static let secureShell = Array("sshd".utf8)

  /// Services that one program asks for, each with the one that is switched for all.
  private static let families = [["sudo", "sudo-i"], ["su", "su-l"]]

  /// The services that go with one.
  static func family(of service: [UInt8]) -> [[UInt8]] {
    let name = String(decoding: service, as: UTF8.self)
    let family = families.first { $0.first == name } ?? [name]
    return family.map { Array($0.utf8) }
  }

  /// Whether switching a service means settings of sshd too.
  static func concernsSecureShell(_ service: [UInt8]) -> Bool { service == secureShell }

  /// The path of a service's file.
  static func path(of service: [UInt8]) -> String {
    folder + "/" + String(decoding: service, as: UTF8.self)
  }

  /// Reads the name of a service that can be switched: of none that others include or that is asked
  /// for by default, and not of the one at which mfa-enroll asks for the password.
  static func service(_ text: String) throws(ChangeError) -> [UInt8] {
    let name = Array(text.utf8)
    let isPlain = name.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "+"),
        UInt8(ascii: "@"):
        true
      case _: false
      }
    }
    guard isPlain, (1...64).contains(name.count), name.first != UInt8(ascii: "."),
      !isFragment(name), text != "mfa-enroll"
    else { throw .notAService(text) }
    return name
  }

  /// Whether a file is no service's own.
  static func isFragment(_ name: [UInt8]) -> Bool {
    let name = String(decoding: name, as: UTF8.self)
    return name == "other" || name.hasPrefix("common-")
      || ["system-auth", "password-auth", "postlogin", "fingerprint-auth", "smartcard-auth"]
        .contains(name)
  }

  /// Throws where there is no such service.
  static func needFile(of service: [UInt8]) throws(ChangeError) {
    guard try SystemFile.read(path(of: service)) != nil else {
      throw .noServiceFile(String(decoding: service, as: UTF8.self))
    }
  }

  /// Finds out what is to be written, and proves that it would do.
  init(_ service: [UInt8]) throws(ChangeError) {
    self.service = service
    try Self.needFile(of: service)
    let installed = OverlaidStacks(InstalledStacks())
    present = try Self.line(of: service, installed)
    guard present == nil else {
      files = []
      return
    }
    let stackFiles = try Self.stackFiles(service, installed)
    guard Self.concernsSecureShell(service) else {
      files = stackFiles
      return
    }
    exceptions = try SecureShellServer.look()
    // sshd reads its settings when it is told to: they are in place, and looked at, before.
    files = try Self.dropIn(service) + stackFiles
  }

  private static func stackFiles(
    _ service: [UInt8], _ installed: OverlaidStacks<InstalledStacks>
  ) throws(ChangeError) -> [ChangedFile] {
    var source = installed
    var files: [ChangedFile] = []
    for member in family(of: service) {
      let path = path(of: member)
      guard let file = try SystemFile.read(path), try line(of: member, source) == nil else {
        continue
      }
      let present = StackFile(path: Array(path.utf8), contents: file.contents)
      let text = try plan(member, service, present, source)
      source = source.replacing(member, with: StackFile(path: present.path, contents: text))
      files.append(
        ChangedFile(
          path: path, old: file.contents, new: text, permissions: file.permissions, owner: 0,
          group: file.group))
    }
    return files
  }

  private static func dropIn(_ service: [UInt8]) throws(ChangeError) -> [ChangedFile] {
    let text = SecureShellDropIn.text(service: service)
    if let present = try SystemFile.read(SecureShellDropIn.path) {
      // Left by an administrator who took out the lines in the service's file by hand.
      guard present.contents == text else {
        throw .secureShell("\(SecureShellDropIn.path) is there already, and says something else")
      }
      return []
    }
    return [
      ChangedFile(
        path: SecureShellDropIn.path, old: nil, new: text, permissions: 0o644, owner: 0, group: 0)
    ]
  }

  private static func plan(
    _ member: [UInt8], _ service: [UInt8], _ file: StackFile,
    _ source: OverlaidStacks<InstalledStacks>
  ) throws(ChangeError) -> [UInt8] {
    do throws(StackProof.Obstacle) {
      return try StackPlan(member, mark: service, file: file, in: source).text
    } catch {
      throw .stack(
        service: VisibleText.escaping(member), file: path(of: member), error)
    }
  }

  private static func line(
    of service: [UInt8], _ source: OverlaidStacks<InstalledStacks>
  ) throws(ChangeError) -> StackPosition? {
    do throws(StackRefusal) { return try StackProof.line(of: service, in: source) } catch {
      throw .stack(
        service: VisibleText.escaping(service), file: path(of: service), .unknown(error))
    }
  }

  /// What would change, as a diff.
  var diff: String {
    files.map { UnifiedDiff(path: $0.path, old: $0.old, new: $0.new).text }.joined()
  }
}
