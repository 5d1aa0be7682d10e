import MFAAdmin
import MFAAttempt
import MFABase
import MFAModel
import MFAPAMStack
import MFASignIn
import MFAStore

// MFAStackEffect: what a PAM stack does at a sign-in.
//
// `StackMachine` carries out a stack as libpam does. `ModuleResults` says what each module can
// return for a `Claimant`. `StackEffect` follows all ways through a stack, and answers whether the
// claimant can sign in, and through which lines.
//
// MUST 1: this library reads no file and runs no program.

/// What a service's stack of one type does for a claimant, for everything that its modules can
/// return.
///
/// MUST 1: if libpam lets the claimant sign in for any of these return codes, `canSucceed` is true.
/// (`StackEffectTests.agreesWithRuns`)
package struct StackEffect {
  /// A group of return codes for which a line has the same effect.
  package struct Step: Hashable {
    /// The index of the line.
    package let index: Int
    /// The return codes.
    package let codes: [PAMReturnCode]
  }

  /// The lines.
  package let entries: [StackEntry]
  /// Whether the stack lets the claimant sign in, for some return codes.
  package let canSucceed: Bool
  /// The largest number of times that pam_mfa.so is called on a way to success.
  package let calls: Int
  /// The lines carried out on a shortest way to success; empty if there is none.
  package let way: [Step]
  /// The lines carried out on a shortest way to the first call of pam_mfa.so, or nil if it is not
  /// called on any way.
  package let wayToModule: [Step]?
  /// The lines that end the stack before a line of pam_mfa.so, or skip one, on a way to success
  /// without a code.
  package let skipping: [Step]
  /// The lines on a way to success that ignore a failure of pam_mfa.so: those that call it, and
  /// those that discard its result.
  package let ignoring: [Step]

  /// Follows all ways through a stack.
  package init(
    of service: [UInt8], _ type: StackType, _ stack: ServiceStack, for claimant: Claimant
  ) {
    var paths = Paths(
      machine: StackMachine(stack),
      results: ModuleResults(service: service, type: type, claimant: claimant))
    paths.follow()
    entries = stack.entries
    let steps = paths.stepsToSuccess()
    canSucceed = paths.canSucceed
    calls = paths.calls
    way = paths.wayToSuccess ?? []
    wayToModule = paths.wayToModule
    skipping = Self.united(steps.filter { paths.skipsModule($0) }.map(\.step))
    ignoring = Self.united(steps.filter { paths.ignoresModule($0) }.map(\.step))
  }

  /// Whether pam_mfa.so is called on some way, also if the stack fails.
  package var callsModule: Bool { wayToModule != nil }

  /// Returns one step for each line, in the order of the lines.
  package static func united(_ steps: [Step]) -> [Step] {
    var codes: [Int: Set<PAMReturnCode>] = [:]
    for step in steps { codes[step.index, default: []].formUnion(step.codes) }
    return codes.keys.sorted().map { index in
      Step(
        index: index, codes: PAMReturnCode.allCases.filter { codes[index]?.contains($0) == true })
    }
  }
}

/// All ways through a stack.
private struct Paths {
  /// A position in the stack, and how often pam_mfa.so was called before.
  struct Node: Hashable {
    let state: StackMachine.State
    /// 0, 1 or 2, which means more than once.
    let calls: Int
  }

  /// The effect of a line on a way through the stack.
  struct Edge {
    let index: Int
    let codes: [PAMReturnCode]
    let from: Node
    let to: Node

    var step: StackEffect.Step { StackEffect.Step(index: index, codes: codes) }
  }

  let machine: StackMachine
  private let type: StackType
  /// Whether each line calls pam_mfa.so.
  private let callsModule: [Bool]
  /// What the module of each line can return, in groups of codes for which the line has the same effect.
  private let groups: [[[PAMReturnCode]]]
  private var edges: [Edge] = []
  /// The ends of all ways, nearest first.
  private var ends: [Node] = []
  /// The number of the edge through which each node was reached first.
  private var arrivals: [Node: Int] = [:]

  init(machine: StackMachine, results: ModuleResults) {
    self.machine = machine
    type = results.type
    callsModule = machine.entries.map(results.calls)
    groups = machine.entries.map { Self.groups(results.codes($0), of: $0) }
  }

  /// Finds all ways.
  mutating func follow() {
    let start = Node(state: machine.start, calls: 0)
    var seen: Set<Node> = [start]
    var open = [start]
    var done = 0
    while done < open.count {
      let node = open[done]
      done += 1
      guard !machine.isAtEnd(node.state) else {
        ends.append(node)
        continue
      }
      let index = node.state.index
      let calls = min(node.calls + (callsModule[index] ? 1 : 0), 2)
      for codes in groups[index] {
        guard let code = codes.first else { continue }
        let to = Node(state: machine.next(node.state, code), calls: calls)
        edges.append(Edge(index: index, codes: codes, from: node, to: to))
        guard seen.insert(to).inserted else { continue }
        arrivals[to] = edges.count - 1
        open.append(to)
      }
    }
  }

  /// Returns what a line's module can return, in groups of codes for which the line has the same effect.
  private static func groups(_ codes: [PAMReturnCode], of entry: StackEntry) -> [[PAMReturnCode]] {
    guard case .module(_, _, let control) = entry.kind else { return [] }
    var groups: [(action: StackControl.Action, code: PAMReturnCode?, codes: [PAMReturnCode])] = []
    for code in codes {
      let action = control.action(for: code)
      // A line that counts passes its return code on.
      let counted = action == .ok || action == .done ? code : nil
      if let index = groups.firstIndex(where: { $0.action == action && $0.code == counted }) {
        groups[index].codes.append(code)
      } else {
        groups.append((action, counted, [code]))
      }
    }
    return groups.map(\.codes)
  }

  private func isSuccess(_ node: Node) -> Bool {
    switch node.state.outcome {
    case .positive(.success): true
    // The user then has to choose a new password, and is signed in.
    case .positive(.newTokenRequired): type == .account
    case .undefined, .positive, .negative: false
    }
  }

  var canSucceed: Bool { ends.contains { isSuccess($0) } }

  var wayToSuccess: [StackEffect.Step]? { ends.first { isSuccess($0) }.map { way(to: $0) } }

  var wayToModule: [StackEffect.Step]? {
    edges.first { $0.from.calls == 0 && $0.to.calls > 0 }.map { way(to: $0.from) }
  }

  private func way(to end: Node) -> [StackEffect.Step] {
    var way: [StackEffect.Step] = []
    var node = end
    while let number = arrivals[node] {
      way.append(edges[number].step)
      node = edges[number].from
    }
    return way.reversed()
  }

  var calls: Int { ends.filter { isSuccess($0) }.map(\.calls).max() ?? 0 }

  /// Returns the effects of lines that are on a way to success.
  func stepsToSuccess() -> [Edge] {
    var incoming: [Node: [Int]] = [:]
    for (number, edge) in edges.enumerated() { incoming[edge.to, default: []].append(number) }
    var open = ends.filter { isSuccess($0) }
    var seen = Set(open)
    var found: [Edge] = []
    while let node = open.popLast() {
      for number in incoming[node] ?? [] {
        found.append(edges[number])
        if seen.insert(edges[number].from).inserted { open.append(edges[number].from) }
      }
    }
    return found
  }

  /// Returns whether a line of pam_mfa.so is left out.
  func skipsModule(_ edge: Edge) -> Bool {
    machine.entries.indices.contains { index in
      index > edge.index && index < edge.to.state.index
        && callsModule[index]
    }
  }

  /// Returns whether the result of pam_mfa.so is ignored or discarded.
  func ignoresModule(_ edge: Edge) -> Bool {
    guard case .negative = edge.to.state.outcome else {
      if callsModule[edge.index] {
        return !edge.codes.contains(.success)
      }
      guard case .negative = edge.from.state.outcome else { return false }
      return edge.from.calls > 0
    }
    return false
  }
}

extension StackEffect {
  /// Follows all ways through the `auth` stack of a service. pam_rootok.so succeeds there if the
  /// service's program is root's, or the claimant is called by root.
  package init(ofAuthStack stack: ServiceStack, of service: [UInt8], for claimant: Claimant) {
    var claimant = claimant
    if !PAMCaller.isStartedByUsers(service) { claimant.isCalledByRoot = true }
    self.init(of: service, .auth, stack, for: claimant)
  }
}

/// The reason why libpam denies a sign-in at a service, whatever the user types.
package struct StackDenial: Equatable {
  /// The kind of reason.
  package enum Cause: Equatable {
    /// libpam cannot load the module of a line.
    case module([UInt8], problem: String)
    /// The lines of this type fail, whatever their modules return.
    case lines(StackType)
    /// libpam itself cannot read the service's file, or a file that it includes.
    case unreadable(StackRefusal)
  }

  /// The file and line to look at first.
  let position: StackPosition
  /// The reason.
  package let cause: Cause

  /// The file and line, escaped for display.
  package var place: String { VisibleText.escaping(position.text) }

  /// The reason in words.
  package var reason: String {
    switch cause {
    case .module(let name, let problem):
      "libpam cannot load \(VisibleText.escaping(name)) for \(place): \(problem)"
    case .lines(let type):
      "the \(type.name) lines of the service fail whatever their modules return"
    case .unreadable(let refusal): "libpam cannot read \(place): \(refusal.sentence)"
    }
  }
}

/// What kind of module a line calls, by the module's name.
package enum ModuleKind: Equatable {
  /// pam_mfa.so.
  case code
  /// A module that asks for the password of the account, or uses the one entered before.
  case password
  /// A module that asks for another authenticator, such as a key or a fingerprint.
  case otherAuthenticator
  /// A module that checks a condition that an administrator set, and authenticates no user.
  case condition
  /// pam_rootok.so, which succeeds if the caller is root.
  case caller
  /// pam_deny.so, or pam_faillock.so with `authfail`, which always fail.
  case denial
  /// pam_permit.so, which always succeeds.
  case permission
  /// A module that prepares the session or logs, and authenticates no user.
  case preparation
  /// A module that is not known.
  case unknown

  /// Determines the kind of a line's module.
  package init(_ entry: StackEntry) {
    if entry.asks(module: "pam_ccreds.so"), Self.arguments(entry).contains("action=validate") {
      self = .password
    } else if entry.asks(module: "pam_faillock.so"), Self.arguments(entry).contains("authfail") {
      self = .denial
    } else {
      self = entry.moduleFile.flatMap { Self.kinds[$0] } ?? .unknown
    }
  }

  /// The arguments of the line's module.
  static func arguments(_ entry: StackEntry) -> [String] {
    guard case .module(_, let arguments, _) = entry.kind else { return [] }
    return arguments.map { String(decoding: $0, as: UTF8.self) }
  }

  /// The kinds of modules by their file names.
  private static let kinds: [[UInt8]: ModuleKind] = Dictionary(
    uniqueKeysWithValues: names.flatMap { names in names.modules.map { ($0.bytes, names.kind) } })

  private static let names: [(kind: ModuleKind, modules: [StaticString])] = [
    (.code, ["pam_mfa.so"]),
    (.password, PasswordModule.fileNames),
    (.denial, ["pam_deny.so"]),
    (.permission, ["pam_permit.so"]),
    (.caller, ["pam_rootok.so"]),
    (.condition, BystanderModule.conditions + ["pam_exec.so", "pam_rhosts.so"]),
    (
      .otherAuthenticator,
      [
        "pam_fprintd.so", "pam_u2f.so", "pam_pkcs11.so", "pam_p11.so", "pam_sss_gss.so",
        "pam_google_authenticator.so", "pam_oath.so", "pam_duo.so", "pam_yubico.so",
        "pam_ssh_agent_auth.so", "pam_ssh.so", "pam_usb.so", "pam_howdy.so", "pam_radius_auth.so",
        "pam_otpw.so", "pam_poldi.so", "pam_userdb.so", "pam_tacplus.so", "pam_opie.so",
        "pam_biometric.so", "pam_kanidm.so", "pam_python.so",
      ]
    ),
    (.preparation, BystanderModule.preparations),
  ]
}

extension StackEntry {
  /// The file name of the entry's module, without its folder; empty for a substack.
  package var moduleName: [UInt8] {
    guard case .module(let name, _, _) = kind else { return [] }
    return Array(name.split(separator: UInt8(ascii: "/")).last ?? [])
  }
}

/// What the module of a line can return for a claimant.
///
/// MUST 1: a module that is not known can return anything. (`StackEffectTests`)
struct ModuleResults {
  /// The name of the service.
  let service: [UInt8]
  /// The type of the stack.
  let type: StackType
  /// Who tries to sign in.
  let claimant: Claimant

  private static let all = PAMReturnCode.allCases.filter { $0 != .incomplete }
  private static let failures = all.filter(\.isFailure)
  /// What a module returns if its library or its function cannot be loaded.
  private static let notLoaded: [PAMReturnCode] = [.moduleUnknown]
  private static let refusals = failures.filter { $0 != .moduleUnknown }

  /// Returns what a line's module can return.
  func codes(_ entry: StackEntry) -> [PAMReturnCode] {
    guard isLoaded(entry) else { return Self.notLoaded }
    let codes = codesOfLoaded(entry)
    return claimant.mayHaveExpiredPassword ? codes : codes.filter { $0 != .newTokenRequired }
  }

  private func codesOfLoaded(_ entry: StackEntry) -> [PAMReturnCode] {
    switch ModuleKind(entry) {
    case .code: ours(entry)
    case .password: password(entry)
    case .otherAuthenticator:
      type == .auth && !claimant.authenticators.contains(.other)
        ? Self.refusals + [.ignore]
        : Self.all
    case .condition:
      (claimant.conditions[entry.position.text] ?? entry.holds(for: service))
        .map { [$0 ? .success : .authenticationError] } ?? Self.all
    case .caller: claimant.isCalledByRoot ? [.success] : [.authenticationError]
    case .denial:
      // In account stacks, pam_faillock.so only resets its counter.
      entry.asks(module: "pam_deny.so") || type == .auth
        ? [Self.code(ofDenialIn: type)] : [.success, .ignore]
    case .permission: [.success]
    case .preparation:
      type == .auth && claimant.conditions[entry.position.text] == false
        ? [.authenticationError] : [.success, .ignore] + Self.refusals
    case .unknown: Self.all
    }
  }

  /// Returns whether a line calls pam_mfa.so, and the line applies to the claimant.
  func calls(_ entry: StackEntry) -> Bool {
    guard ModuleKind(entry) == .code, isLoaded(entry),
      !entry.callsModuleForProgramPasswords || type != .auth
    else { return false }
    return !entry.callsModuleAfterKey || type != .auth || claimant.authenticators.contains(.key)
  }

  private func isLoaded(_ entry: StackEntry) -> Bool {
    guard case .module(let name, _, _) = entry.kind else { return true }
    return !claimant.unloadable.contains(name)
  }

  private static func code(ofDenialIn type: StackType) -> PAMReturnCode {
    switch type {
    case .auth: .authenticationError
    case .account: .accountExpired
    case .password: .tokenError
    case .session: .sessionError
    }
  }

  private func ours(_ entry: StackEntry) -> [PAMReturnCode] {
    guard calls(entry) else { return [.ignore] }
    switch (type, claimant.enrollment) {
    case (.auth, .enrolled):
      return claimant.authenticators.contains(.code) ? [.success] : Self.refusals
    case (.auth, .notRequired), (.auth, .required): return [.ignore]
    case (.account, .required): return Self.refusals
    case (.account, .enrolled), (.account, .notRequired): return [.ignore, .success]
    case (.password, _), (.session, _): return [.ignore, .success]
    }
  }

  private func password(_ entry: StackEntry) -> [PAMReturnCode] {
    let readsShadow = entry.asks(module: "pam_unix.so")
    if type == .account, readsShadow, claimant.hasExpired { return [.accountExpired] }
    let isRight =
      claimant.authenticators.contains(.password) && !(readsShadow && claimant.passwordIsLocked)
    guard type == .auth, !isRight else { return Self.all }
    // Some modules leave users to other modules if they do not know them.
    let mayIgnore = ModuleKind.arguments(entry).contains { $0.hasPrefix("ignore_") }
    return Self.refusals + (mayIgnore ? [.ignore] : [])
  }
}

extension Readiness.Obstacle {
  /// Creates the obstacle that policy, the user's record or its standing is to a sign-in, or nil if there
  /// is none. Other errors are not an obstacle by policy: `Explanation` reports them for a service.
  init?(_ result: SignInResult, _ settings: Settings?) {
    switch result {
    case .allowed, .passed(.switchedOff), .passed(.notEnrolled), .passed(.offered),
      .passed(.leftToNextLines), .denied(.unknownUser):
      return nil
    case .passed(.enrollmentPending), .denied(.enrollmentRequired):
      self = settings?.enrollment == .offered ? .offerOver : .notEnrolled
    case .denied(.code(.throttled(let seconds))): self = .throttled(seconds: seconds)
    case .denied(.code(.locked)): self = .locked
    case .denied(.code), .denied(.programPassword): return nil
    case .denied(.failed(.store(let error))): self = .unusable(RecordProblem(error))
    case .denied(.failed), .denied(.codeRequired): return nil
    }
  }
}

/// Sends no code: a simulated sign-in changes nothing and sends nothing.
struct NoCodeSender: CodeSender {
  func admit(
    _ number: Span<UInt8>, by cause: SendCause, limits: HostSendLimits, now: Int64
  ) throws(FactorStoreError) -> SendLog.Admission {
    .refused(.hostDaily(seconds: 0))
  }

  func send(_ message: borrowing GatewayMessage) -> GatewayReply { .refused }

  func markReturned(_ message: SendID) {}

  func markFailed(_ message: SendID) {}

  func markNotice(_ message: SendID) {}
}
