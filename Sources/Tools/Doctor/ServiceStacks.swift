import MFAAdmin
import MFABase
import MFAPAMStack

/// The `auth` and `account` stacks of a service, as libpam carries them out on a host: with the modules
/// that it can load.
///
/// MUST 1: a denial is reported if and only if libpam denies the claimant for everything that the modules
/// can return. (`EndToEnd.HostCorpus.agrees`)
package struct ServiceStacks {
  /// The service's name.
  package let name: [UInt8]
  /// The `auth` stack. A carriage return at the end of a line is a part of its last word.
  package let auth: Result<ServiceStack, StackRefusal>
  /// The `account` stack.
  package let account: Result<ServiceStack, StackRefusal>
  /// The first line that ends with a carriage return, or nil.
  package let carriageReturn: StackRefusal?
  /// The service, or nil if its `auth` stack cannot be read or does not call the module.
  package let withModule: ServiceWithModule?
  private let rules: HostRules

  /// Reads the stacks of a service.
  package init(of name: [UInt8], from source: some StackSource, with rules: HostRules) {
    self.name = name
    self.rules = rules
    carriageReturn = Self.carriageReturn(name, source)
    auth = Self.stack(.auth, name, source)
    account = Self.stack(.account, name, source)
    guard case .success(let stack) = auth else {
      withModule = nil
      return
    }
    withModule = ServiceWithModule(name: name, stack: stack)
  }

  private static func stack(
    _ type: StackType, _ name: [UInt8], _ source: some StackSource
  ) -> Result<ServiceStack, StackRefusal> {
    Result { () throws(StackRefusal) in
      try ServiceStack(type, of: name, from: source, keepsCarriageReturns: true)
    }
  }

  private static func carriageReturn(_ name: [UInt8], _ source: some StackSource) -> StackRefusal? {
    do throws(StackRefusal) {
      _ = try ServiceStack(.auth, of: name, from: source)
      return nil
    } catch {
      guard case .carriageReturn = error else { return nil }
      return error
    }
  }

  /// The `auth` and `account` stacks, without those that cannot be read.
  var readable: [ServiceStack] {
    [auth, account].compactMap { if case .success(let stack) = $0 { stack } else { nil } }
  }

  /// The findings about `auth` lines that do not do what they look like.
  package var misreadLines: [Finding] {
    if let carriageReturn {
      return [.unreadableStack(carriageReturn, of: name, mentionsModule: true)]
    }
    guard case .success(let stack) = auth else { return [] }
    return StrayModuleLines.lookalikes(stack, .auth, of: name)
  }

  /// Returns the reason why libpam cannot load the module in the line that asks for the code, or nil.
  package var moduleProblem: String? {
    withModule.flatMap { rules.problem($0.stack.entries[$0.index]) }
  }

  /// Returns why libpam denies a claimant whose password has not expired, or nil if it does not, or if
  /// that is not known.
  ///
  /// Users enrol, where they have to, before the `account` lines end: these are carried out for a user
  /// who has enrolled.
  package func denial(of claimant: Claimant) -> StackDenial? {
    var enrolled = claimant
    enrolled.enrollment = .enrolled
    return denial(.auth, auth, claimant) ?? accountDenial(of: enrolled)
  }

  /// Returns why the `account` lines deny a claimant, or nil.
  package func accountDenial(of claimant: Claimant) -> StackDenial? {
    denial(.account, account, claimant)
  }

  /// Returns whether the lines of one type deny a claimant, whatever their modules return.
  func denies(_ claimant: Claimant, _ type: StackType) -> Bool {
    denial(type, type == .auth ? auth : account, claimant) != nil
  }

  /// Returns what the `auth` lines do for a claimant, or nil if they cannot be read.
  func authEffect(for claimant: Claimant) -> StackEffect? {
    guard case .success(let lines) = auth else { return nil }
    var claimant = claimant
    claimant.unloadable = rules.unloadable(in: lines)
    return rules.effect(of: name, .auth, lines, for: claimant)
  }

  private func denial(
    _ type: StackType, _ stack: Result<ServiceStack, StackRefusal>, _ claimant: Claimant
  ) -> StackDenial? {
    let lines: ServiceStack
    do throws(StackRefusal) { lines = try stack.get() } catch {
      return error.deniesSignIns.map { StackDenial(position: $0, cause: .unreadable(error)) }
    }
    var claimant = claimant
    claimant.unloadable = rules.unloadable(in: lines)
    claimant.mayHaveExpiredPassword = false
    guard !canSucceed(type, lines, claimant) else { return nil }
    if let line = blockingLine(type, lines, claimant), case .module(let name, _, _) = line.kind,
      let problem = rules.problem(line)
    {
      return StackDenial(position: line.position, cause: .module(name, problem: problem))
    }
    let entries = lines.entries
    let line = entries.first { ModuleKind($0) == .denial } ?? entries.last
    let file = InstalledPath.services.bytes + [UInt8(ascii: "/")] + name
    return StackDenial(
      position: line?.position ?? StackPosition(file: file, line: 1), cause: .lines(type))
  }

  private func canSucceed(
    _ type: StackType, _ stack: ServiceStack, _ claimant: Claimant
  ) -> Bool {
    rules.effect(of: name, type, stack, for: claimant).canSucceed
  }

  /// Returns the line whose module would have to be loaded for the claimant to sign in, or nil if the
  /// claimant could not sign in either if all modules could be loaded. A line that denies alone, though
  /// all other modules can be loaded, comes first.
  private func blockingLine(
    _ type: StackType, _ stack: ServiceStack, _ claimant: Claimant
  ) -> StackEntry? {
    func canSucceed(without modules: Set<[UInt8]>) -> Bool {
      var other = claimant
      other.unloadable = modules
      return self.canSucceed(type, stack, other)
    }
    guard canSucceed(without: []) else { return nil }
    let missing = stack.entries.filter { rules.problem($0) != nil }
    return missing.first { entry in
      guard case .module(let name, _, _) = entry.kind else { return false }
      return !canSucceed(without: [name])
    } ?? missing.first
  }
}

extension StackRefusal {
  /// The line because of which libpam denies every sign-in, or nil if libpam may be able to read the
  /// stack.
  fileprivate var deniesSignIns: StackPosition? {
    switch self {
    case .notFound(let position), .loop(let position): position
    case .notAServiceName, .tooDeep, .tooLong, .notUnderstood, .carriageReturn, .system:
      nil
    }
  }
}

extension StackEntry {
  /// Whether the line calls pam_mfa.so.
  package var callsModule: Bool { asks(module: "pam_mfa.so") }

  /// Whether the line calls pam_mfa.so for sign-ins with a key only (`after_key`).
  package var callsModuleAfterKey: Bool {
    callsModule && ModuleKind.arguments(self).contains("after_key")
  }

  /// Whether the line calls pam_mfa.so for program passwords only (`program_password`).
  package var callsModuleForProgramPasswords: Bool {
    callsModule && ModuleKind.arguments(self).contains("program_password")
  }
}

/// The `account` line with `require_code`, which denies users of whom policy requires a code in a program that verifies
/// passwords itself.
package struct RequiredCodeLine {
  /// The file and line.
  package let position: StackPosition
  /// The module's arguments.
  let arguments: [[UInt8]]

  /// Finds the line of a service that is certain to deny. Nil if there is none.
  package init?(of service: [UInt8], in source: some StackSource) throws(StackRefusal) {
    for entry in try ServiceStack(.account, of: service, from: source).entries {
      guard entry.callsModule, case .module(_, let arguments, _) = entry.kind,
        arguments.contains(Array("require_code".utf8))
      else { continue }
      let line = AccountLine(
        of: "pam_mfa.so", service: service, authArguments: arguments,
        isCalledByRoot: PAMCaller.isRoot(at: service), from: source)
      guard line == .certain(at: entry.position) else { continue }
      position = entry.position
      self.arguments = arguments
      return
    }
    return nil
  }
}

extension ServiceStack {
  /// The index of the line that asks for the code: the first that calls pam_mfa.so for every sign-in,
  /// or else the first that calls it after a key. Nil if no line calls it.
  package var moduleIndex: Int? {
    entries.firstIndex {
      $0.callsModule && !$0.callsModuleAfterKey && !$0.callsModuleForProgramPasswords
    } ?? entries.firstIndex(where: \.callsModule)
  }
}

/// The name of a PAM service: in lower case, with only letters, digits and `-_.+@`.
package struct PAMServiceName: Equatable {
  /// The name as PAM knows it.
  package let bytes: [UInt8]

  /// Converts a name that an administrator typed. Nil if it cannot be the name of a service.
  package init?(_ text: String) {
    guard text.wholeMatch(of: /[A-Za-z0-9_+@-][A-Za-z0-9_.+@-]*/) != nil else { return nil }
    bytes = Array(text.lowercased().utf8)
  }
}

/// A service that `mfa-admin enable` has changed and an administrator has confirmed, according to the
/// record of the change.
package struct RecordedService: Equatable {
  /// A file that the change wrote, and what is left of the change.
  package struct File: Equatable {
    /// The absolute path.
    package let path: String
    /// What is left.
    package let state: State
    /// Whether the file is, byte for byte, as the change left it.
    package let isUnchanged: Bool

    /// Creates a file.
    package init(path: String, state: State, isUnchanged: Bool = false) {
      self.path = path
      self.state = state
      self.isUnchanged = isUnchanged
    }
  }

  /// What is left of a change in a file.
  package enum State: Equatable {
    /// All that was written.
    case complete
    /// The file does not exist.
    case gone
    /// The file exists and lacks some of the lines, as after an upgrade that replaced it.
    case withoutLines
    /// The line with this number, counted from 1, was edited or added between the marks.
    case edited(line: Int)
    /// The file cannot be read. The value is the reason.
    case unreadable(String)
  }

  /// The name of the service that was enabled.
  package let name: [UInt8]
  /// The files.
  package let files: [File]

  /// Creates the value.
  package init(name: [UInt8], files: [File]) {
    self.name = name
    self.files = files
  }
}

/// A PAM service whose `auth` stack calls pam_mfa.so.
package struct ServiceWithModule {
  /// The service's name.
  package let name: [UInt8]
  /// The service's `auth` stack.
  package let stack: ServiceStack
  /// The index of the entry of the stack that asks for the code.
  package let index: Int
  /// The file and line of that entry.
  package let position: StackPosition
  /// The module's arguments.
  package let arguments: [[UInt8]]
  /// The control that decides what the module's result does to the stack.
  package let control: StackControl
  /// What the `auth` stack does for an enrolled user who has everything but a code: without a key, and
  /// with a key that sshd has verified.
  package let effectsWithoutCode: [StackEffect]
  /// What the `auth` lines prove to a program that has verified nothing itself.
  package let firstFactor: SignInWay.FirstFactor

  /// Creates the value from a service's stack. Nil if no line calls the module.
  package init?(name: [UInt8], stack: ServiceStack) {
    guard let index = stack.moduleIndex,
      case .module(_, let arguments, let control) = stack.entries[index].kind
    else { return nil }
    self.name = name
    self.stack = stack
    self.index = index
    position = stack.entries[index].position
    self.arguments = arguments
    self.control = control
    firstFactor = Self.firstFactor(of: name, stack)
    effectsWithoutCode = Claimant.withoutCode(for: stack).map {
      StackEffect(ofAuthStack: stack, of: name, for: $0)
    }
  }

  /// Reads the stack of a service. Nil if no line calls the module.
  package init?(_ name: [UInt8], from source: some StackSource) throws(StackRefusal) {
    self.init(name: name, stack: try ServiceStack(.auth, of: name, from: source))
  }

  /// Whether a line accepts program passwords.
  package var acceptsProgramPasswords: Bool {
    stack.entries.contains(where: \.callsModuleForProgramPasswords)
  }

  /// The parsed arguments, or the reason why they are invalid.
  var options: Result<ModuleOptions, ModuleOptions.Refusal> {
    Result { () throws(ModuleOptions.Refusal) in try ModuleOptions(arguments) }
  }

  /// The configuration file that the line names, or nil if the host's configuration applies.
  package var configuration: [UInt8]? {
    guard case .success(let options) = options else { return nil }
    return options.configuration
  }

  /// Whether the service's own file has the line, rather than a file that it includes.
  var hasOwnLine: Bool {
    position.file.split(separator: UInt8(ascii: "/")).last.map(Array.init) == name
  }

  /// Whether the module takes the code from the text entered at the password prompt.
  var takesPassword: Bool {
    guard case .success(let options) = options else { return false }
    return options.expectsPassword
  }

  /// Returns whether the service's program has one field, but the module asks for a code of its own, so that no user
  /// who has enrolled can answer.
  package func asksBeyondOneField(on host: any ExaminedHost) throws(AdminError) -> Bool {
    guard !takesPassword, let program = PAMProgram.with(service: name) else { return false }
    return try program.conversation(at: name, on: host) == .oneField
  }

  /// Returns what the `auth` stack does for a claimant, if the service's program calls it.
  package func effect(for claimant: Claimant) -> StackEffect {
    StackEffect(ofAuthStack: stack, of: name, for: claimant)
  }

  /// Whether no user who has enrolled passes the `auth` stack without a code.
  package var asksForCode: Bool {
    effectsWithoutCode.allSatisfy { !$0.canSucceed }
  }

  /// Returns steps of the effects without a code, one for each line, in the order of the lines.
  func stepsWithoutCode(_ steps: KeyPath<StackEffect, [StackEffect.Step]>) -> [StackEffect.Step] {
    StackEffect.united(effectsWithoutCode.flatMap { $0[keyPath: steps] })
  }

  /// The file and line, escaped for display.
  package var place: String { VisibleText.escaping(position.text) }

  /// The service's name, escaped for display.
  package var visibleName: String { VisibleText.escaping(name) }

  /// Returns whether the service has one of these names.
  func isNamed(_ name: StaticString...) -> Bool {
    name.contains { self.name == Array("\($0)".utf8) }
  }
}
