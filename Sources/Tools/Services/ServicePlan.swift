import MFAAdmin
import MFABase
import MFADoctor
import MFAPAMStack

/// The files to write to enable a service.
package struct ServicePlan {
  /// The name of the service.
  package let service: [UInt8]
  /// The files, in the order in which they are written.
  package let files: [ChangedFile]
  /// The line that already asks for a code, in which case there is nothing to do.
  package let present: StackPosition?
  /// What sshd asks for.
  package let factors: SecureShellFactors
  /// Whether policy accepts passwords for programs in the service.
  package let acceptsProgramPasswords: Bool
  /// Whether users of whom policy requires a code are denied, because the program verifies passwords itself.
  package let deniesEnrolled: Bool
  /// How the service's program asks; nil if there is nothing to do, and if it asks for no code.
  package private(set) var conversation: ServiceConversation?
  /// sshd's service with the new lines, or nil for another service.
  package private(set) var planned: ServiceWithModule?
  /// The settings of sshd that override ours for some sign-ins.
  package var exceptions: [SSHDFile.Line] = []

  /// The services of programs with one field that get the new lines because they include a changed file. Users who have
  /// enrolled can no longer sign in there.
  package private(set) var followersWithOneField: [[UInt8]] = []

  /// The service's name, escaped for display.
  package var name: String { VisibleText.escaping(service) }

  private static let folder = "\(InstalledPath.services)"
  private static let secureShell = Array("sshd".utf8)

  /// Groups of services that one program uses. Enabling the first service of a group enables all of
  /// them.
  private static let families = [["sudo", "sudo-i"], ["su", "su-l"]]

  /// Returns the services that are enabled together with a service, including itself.
  package static func family(of service: [UInt8]) -> [[UInt8]] {
    let name = String(decoding: service, as: UTF8.self)
    let family = families.first { $0.first == name } ?? [name]
    return family.map { Array($0.utf8) }
  }

  /// Returns whether enabling a service also changes sshd's settings.
  package static func concernsSecureShell(_ service: [UInt8]) -> Bool { service == secureShell }

  /// Returns the path of a service's file.
  package static func path(of service: [UInt8]) -> String {
    folder + "/" + String(decoding: service, as: UTF8.self)
  }

  /// Returns the path of a service's file as its package installs it, which libpam reads if there is
  /// none in /etc.
  private static func vendorPath(of service: [UInt8]) -> String {
    "\(InstalledPath.vendorServices)/" + String(decoding: service, as: UTF8.self)
  }

  /// Returns the vendor's file of a service, or nil if libpam does not read it.
  static func vendorFile(of service: [UInt8]) throws(AdminError) -> SystemFile? {
    guard try SystemFile.read(path(of: service)) == nil else { return nil }
    return try SystemFile.read(vendorPath(of: service))
  }

  /// Parses the name of a service that can be enabled. Throws for files that other services
  /// include, for the default service `other`, and for `mfa-enroll`, with which the helper asks for
  /// the password.
  package static func service(_ text: String) throws(AdminError) -> [UInt8] {
    let name = Array(text.utf8)
    guard text.wholeMatch(of: /[a-z0-9_+@-][a-z0-9_.+@-]{0,63}/) != nil, !isFragment(name),
      text != "mfa-enroll"
    else { throw .notAService(text) }
    return name
  }

  /// Returns whether a file does not belong to one service only.
  static func isFragment(_ name: [UInt8]) -> Bool {
    name == Array("other".utf8) || IncludedServiceFile.contains(name)
  }

  /// Throws if the service has no file.
  package static func requireFile(of service: [UInt8]) throws(AdminError) {
    guard try SystemFile.read(path(of: service)) == nil, try vendorFile(of: service) == nil else {
      return
    }
    throw .noServiceFile(String(decoding: service, as: UTF8.self))
  }

  /// Plans the changes for a service and proves that the resulting stack asks for a code.
  ///
  /// `factors` matter to sshd alone. `conversation` is how the program asks, which must be told for one that is not
  /// known.
  package init(
    _ service: [UInt8], _ factors: SecureShellFactors = .usual,
    _ conversation: ServiceConversation? = nil
  ) throws(AdminError) {
    self.service = service
    self.factors = factors
    try Self.requireFile(of: service)
    let installed = OverlaidStacks(InstalledStacks())
    deniesEnrolled = PAMProgram.with(service: service)?.verifiesPasswords ?? false
    present = try Self.line(of: service, installed)
    guard present == nil else {
      (files, acceptsProgramPasswords) = ([], false)
      return
    }
    acceptsProgramPasswords = try ThisHost.policy().servicesForProgramPasswords.contains(service)
    let asking: ServiceConversation?
    if deniesEnrolled {
      try Self.requireAccountLines(service)
      asking = nil
    } else {
      asking = try ServicePlan.conversation(
        of: service, told: conversation, acceptsProgramPasswords: acceptsProgramPasswords)
    }
    self.conversation = asking
    let stackFiles = try Self.stackFiles(
      service, factors.first, asking, acceptsProgramPasswords, installed)
    let overlaid = Self.overlay(stackFiles, on: installed)
    let others = try Self.others(than: service, installed)
    try Self.requireNoSecondCode(others, in: overlaid, of: service, installed)
    for name in others where try Self.asksBeyondOneField(name, overlaid) {
      if try !Self.asksBeyondOneField(name, installed) { followersWithOneField.append(name) }
    }
    guard Self.concernsSecureShell(service) else {
      files = stackFiles
      return
    }
    exceptions = try SecureShellServer.look()
    if let stack = stackFiles.first(where: { $0.path == Self.path(of: service) }) {
      let file = StackFile(path: Array(stack.path.utf8), contents: stack.new)
      planned = try Self.proven(
        exceptions, service, factors, in: installed.replacing(service, with: file))
    }
    // sshd applies its settings only after a reload, so they are written and checked before the
    // stack changes.
    files = try Self.dropIn(service, factors) + stackFiles
  }

  /// Returns the service with its new lines. Throws if a `Match` block that overrides our settings would
  /// let users in with a code alone.
  private static func proven(
    _ exceptions: [SSHDFile.Line], _ service: [UInt8], _ factors: SecureShellFactors,
    in source: OverlaidStacks<InstalledStacks>
  ) throws(AdminError) -> ServiceWithModule? {
    let planned: ServiceWithModule?
    do throws(StackRefusal) { planned = try ServiceWithModule(service, from: source) } catch {
      throw noSafePlace(service, error.located)
    }
    guard let planned else { return nil }
    for exception in exceptions {
      let settings = SecureShellDropIn.effective(factors).with([
        ("PasswordAuthentication", "yes"), (exception.keyword, exception.value),
      ])
      guard planned.ways(settings).contains(where: { $0.firstFactor == .missing }) else { continue }
      throw SecureShellObstacle.codeAlone(exception)
    }
    return planned
  }

  /// Why a service that calls the module already is not safe, or nil if it is.
  package static func gap(of service: [UInt8], on host: any ExaminedHost) -> String? {
    let present: ServiceWithModule?
    do throws(StackRefusal) { present = try ServiceWithModule(service, from: host.stacks) } catch {
      return error.sentence
    }
    guard let present else { return nil }
    var ways = present.ways
    if concernsSecureShell(service), let settings = SSHDSettings.inForce(on: host) {
      ways = present.ways(settings)
    }
    if ways.contains(where: { $0.firstFactor == .missing }) {
      return "no key and no password is required before the code"
    }
    return ways.allSatisfy(\.asksForCode) ? nil : "there is a way in without a code"
  }

  /// Returns how a service's program asks. Throws if that is neither known nor `told`, and if the program cannot ask
  /// for a code.
  private static func conversation(
    of service: [UInt8], told: ServiceConversation?, acceptsProgramPasswords: Bool
  ) throws(AdminError) -> ServiceConversation {
    let name = VisibleText.escaping(service)
    guard let program = PAMProgram.with(service: service) else {
      guard let told else {
        throw .conversation(
          service: name,
          reason: "it is not known whether its program asks the user each of PAM's questions",
          hint:
            "add --fields if it does, or --one-field if users have one field for the password and the code"
        )
      }
      return told
    }
    if let alone = try program.passwordAlone(on: LocalExaminedHost()) {
      throw .conversation(service: name, reason: alone.reason, hint: alone.hint)
    }
    switch program.behaviour {
    case .cannotAsk where acceptsProgramPasswords:
      try requireNamed(program, at: service)
      return .oneField
    case .asks(let usual, _):
      try requireNamed(program, at: service)
      if let told { return told }
      return try program.conversation(at: service, on: LocalExaminedHost()) ?? usual
    case .cannotAsk(let reason, let hint), .verifiesPasswords(let reason, let hint):
      throw .conversation(service: name, reason: reason, hint: hint)
    case .authenticatesNoUser:
      throw .conversation(
        service: name, reason: "\(program.name) asks no user for a password or a code",
        hint: "leave this service as it is")
    }
  }

  /// Throws if the program does not act as root and policy does not name it.
  private static func requireNamed(
    _ program: PAMProgram, at service: [UInt8]
  ) throws(AdminError) {
    guard
      let user = try program.unnamedUser(
        at: service, under: try ThisHost.policy(), on: LocalExaminedHost())
    else { return }
    throw .conversation(
      service: VisibleText.escaping(service), reason: program.reason(unnamed: user),
      hint: PAMProgram.hint(unnamed: user, at: service))
  }

  /// Throws if the service's program, which verifies passwords itself, does not run the `account` lines.
  private static func requireAccountLines(_ service: [UInt8]) throws(AdminError) {
    let host = LocalExaminedHost()
    guard let program = PAMProgram.with(service: service),
      let obstacle = try program.obstacleToAccountLine(on: host)
    else { return }
    throw .conversation(
      service: VisibleText.escaping(service), reason: obstacle.reason, hint: obstacle.hint)
  }

  private static func stackFiles(
    _ service: [UInt8], _ first: SecureShellFactors.First,
    _ conversation: ServiceConversation?, _ acceptsProgramPasswords: Bool,
    _ installed: OverlaidStacks<InstalledStacks>
  ) throws(AdminError) -> [ChangedFile] {
    var source = installed
    var files: [ChangedFile] = []
    for member in family(of: service) {
      let path = path(of: member)
      let own = try SystemFile.read(path)
      // The new file in /etc begins as a copy of the vendor's, which stays as it is.
      let vendors = try vendorFile(of: member)
      guard let file = own ?? vendors, try line(of: member, source) == nil else { continue }
      // Marks may be left whose lines an administrator or another program has taken out.
      let present = StackFile(
        path: Array(path.utf8), contents: MarkedText(service: service).without(file.contents))
      let text: [UInt8]
      if let conversation {
        text = try StackPlan(
          member, concernsSecureShell(service) ? first : .password, conversation,
          acceptsProgramPasswords: acceptsProgramPasswords, mark: service, file: present,
          in: source
        ).text
      } else {
        text = try StackPlan(requiringCodeAt: member, mark: service, file: present, in: source).text
      }
      source = source.replacing(member, with: StackFile(path: present.path, contents: text))
      files.append(
        ChangedFile(
          path: path, old: own?.contents, new: text, permissions: file.permissions, owner: 0,
          group: file.group))
    }
    return files
  }

  /// Throws if a service that includes one of the new files has lines of its own, and would ask for two codes.
  private static func requireNoSecondCode(
    _ others: [[UInt8]], in planned: OverlaidStacks<InstalledStacks>, of service: [UInt8],
    _ installed: OverlaidStacks<InstalledStacks>
  ) throws(AdminError) {
    for name in others {
      // A stack that cannot be read denies, with and without the new files.
      guard asksTwice(name, planned) == true, asksTwice(name, installed) == false else { continue }
      let text = try SystemFile.read(path(of: name))?.contents ?? []
      throw .secondCode(
        service: VisibleText.escaping(service), other: VisibleText.escaping(name),
        file: path(of: name), wasEnabled: MarkedText(service: name).firstLine(in: text) != nil)
    }
  }

  /// Returns whether a service asks for a code that users of its one field cannot give. A stack that cannot be read
  /// denies, with and without the new files.
  private static func asksBeyondOneField(
    _ name: [UInt8], _ source: OverlaidStacks<InstalledStacks>
  ) throws(AdminError) -> Bool {
    let service: ServiceWithModule?
    do throws(StackRefusal) { service = try ServiceWithModule(name, from: source) } catch {
      return false
    }
    return try service?.asksBeyondOneField(on: LocalExaminedHost()) ?? false
  }

  private static func overlay(
    _ files: [ChangedFile], on installed: OverlaidStacks<InstalledStacks>
  ) -> OverlaidStacks<InstalledStacks> {
    files.reduce(installed) { source, file in
      let name = file.path.split(separator: "/").last.map { Array($0.utf8) } ?? []
      return source.replacing(
        name, with: StackFile(path: Array(file.path.utf8), contents: file.new))
    }
  }

  private static func others(
    than service: [UInt8], _ installed: OverlaidStacks<InstalledStacks>
  ) throws(AdminError) -> [[UInt8]] {
    do throws(StackRefusal) {
      return try installed.base.services().filter { !family(of: service).contains($0) }
    } catch {
      throw noSafePlace(service, error.located)
    }
  }

  /// Returns whether a service asks for two codes, or nil if its stack cannot be read.
  private static func asksTwice(
    _ name: [UInt8], _ source: OverlaidStacks<InstalledStacks>
  ) -> Bool? {
    do throws(StackRefusal) {
      return try ServiceWithModule(name, from: source).map { ClosedStack.askedTwice($0) != nil }
        ?? false
    } catch {
      return nil
    }
  }

  private static func dropIn(
    _ service: [UInt8], _ factors: SecureShellFactors
  ) throws(AdminError) -> [ChangedFile] {
    let text = SecureShellDropIn.text(
      service: service, factors, policyLines: SecureShellDropIn.policyLines(on: LocalExaminedHost())
    )
    if let present = try SystemFile.read(SecureShellDropIn.path) {
      // The drop-in may remain after an administrator removed the lines from the service's file.
      // Without this file, sshd might allow less time than with it.
      let forms = [[], [SecureShellDropIn.timeToEnrol]].map {
        SecureShellDropIn.text(service: service, factors, policyLines: $0)
      }
      guard forms.contains(present.contents) else {
        throw SecureShellObstacle.occupied
      }
      return []
    }
    return [
      ChangedFile(
        path: SecureShellDropIn.path, old: nil, new: text, permissions: 0o644, owner: 0, group: 0)
    ]
  }

  private static func line(
    of service: [UInt8], _ source: OverlaidStacks<InstalledStacks>
  ) throws(AdminError) -> StackPosition? {
    do throws(StackRefusal) {
      guard PAMProgram.with(service: service)?.verifiesPasswords == true else {
        return try StackProof.line(of: service, in: source)
      }
      return try RequiredCodeLine(of: service, in: source)?.position
    } catch {
      throw noSafePlace(service, error.located)
    }
  }

  /// Returns the error for a service whose file has no place for the lines. `reason` says why.
  static func noSafePlace(_ service: [UInt8], _ reason: String) -> AdminError {
    .stack(service: VisibleText.escaping(service), file: path(of: service), reason: reason)
  }

  /// The new service files, each with the path of the file that libpam reads now.
  package var replacedFiles: [(path: String, contents: [UInt8])] {
    files.filter { $0.path != SecureShellDropIn.path }.map { file in
      let name = file.path.split(separator: "/").last.map { Array($0.utf8) } ?? []
      return (file.old == nil ? Self.vendorPath(of: name) : file.path, file.new)
    }
  }

  /// The changes as a unified diff.
  package var diff: String {
    files.map { UnifiedDiff.text(path: $0.path, old: $0.old, new: $0.new) }.joined()
  }
}
