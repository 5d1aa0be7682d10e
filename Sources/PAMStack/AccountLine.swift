/// Whether a service's stack is certain to ask the module in its `account` line, and certain to deny
/// when that line denies.
///
/// MUST 1: a line that may be passed over, or whose denial may be, is never taken for certain.
/// (`AccountLineTests`)
public enum AccountLine: Equatable, Sendable {
  /// It is, by this line.
  case certain(at: StackPosition)
  /// There is no such line.
  case missing
  /// There is one, and the stack may succeed though it denies: its control is `optional`,
  /// `sufficient`, or brackets that let a failure pass.
  case toothless(at: StackPosition)
  /// There is one, and it reads another configuration file than the `auth` line.
  case otherConfiguration(at: StackPosition)
  /// There is one, and another line may end the stack before it, or jump over it.
  case passedOver(at: StackPosition, by: StackPosition)
  /// There is one, and another line may have its denial forgotten.
  case forgotten(at: StackPosition, by: StackPosition)
  /// The stack cannot be told.
  case unknown(StackRefusal)

  /// Finds out for a service whose `auth` line has these arguments.
  ///
  /// Where root does not call (the real identity of the process is another's), a line of
  /// pam_rootok.so before the module's, as `su` has one, passes nothing over: it fails.
  public init<Source: StackSource>(
    of module: StaticString, service: [UInt8], authArguments: [[UInt8]], isCalledByRoot: Bool,
    from source: Source
  ) {
    do throws(StackRefusal) {
      let stack = try ServiceStack(.account, of: service, from: source)
      self = stack.accountLine(
        of: module, configuration: Self.configurations(authArguments), isCalledByRoot)
    } catch {
      self = .unknown(error)
    }
  }

  /// The configuration files that arguments name.
  static func configurations(_ arguments: [[UInt8]]) -> [[UInt8]] {
    arguments.filter { $0.starts(with: Word.bytes("config=")) }
  }
}

extension ServiceStack {
  /// The best of the module's lines, and what is wrong with the first where none will do.
  fileprivate func accountLine(
    of module: StaticString, configuration: [[UInt8]], _ isCalledByRoot: Bool
  ) -> AccountLine {
    var first: AccountLine?
    for (index, entry) in entries.enumerated() where entry.asks(module: module) {
      let line = judge(entry, at: index, configuration, isCalledByRoot)
      if case .certain = line { return line }
      first = first ?? line
    }
    return first ?? .missing
  }

  private func judge(
    _ entry: StackEntry, at index: Int, _ configuration: [[UInt8]], _ isCalledByRoot: Bool
  ) -> AccountLine {
    let position = entry.position
    guard case .module(_, let arguments, let control) = entry.kind, control.deniesEveryFailure
    else { return .toothless(at: position) }
    guard AccountLine.configurations(arguments) == configuration else {
      return .otherConfiguration(at: position)
    }
    for (other, obstacle) in entries.enumerated() where other < index {
      if !isCalledByRoot, obstacle.fails { continue }
      if mayPassOver(index, at: other) {
        return .passedOver(at: position, by: obstacle.position)
      }
    }
    // Wherever it stands: even a line before this one may, in a substack that a denial has ended.
    if let obstacle = entries.first(where: { $0.mayForget }) {
      return .forgotten(at: position, by: obstacle.position)
    }
    return .certain(at: position)
  }
}

extension StackEntry {
  /// Whether it asks a module that fails for everybody but root, and its failure jumps nowhere.
  fileprivate var fails: Bool {
    switch kind {
    case .substack: false
    case .module(_, _, let control): asks(module: "pam_rootok.so") && control.jumps.isEmpty
    }
  }
}

extension AccountLine {
  /// What is the matter, as log lines name it.
  public var name: StaticString {
    switch self {
    case .certain: "certain"
    case .missing: "missing"
    case .toothless: "toothless"
    case .otherConfiguration: "other-configuration"
    case .passedOver: "passed-over"
    case .forgotten: "forgotten"
    case .unknown(let refusal): refusal.name
    }
  }

  /// The line, or the file, that stands in the way; nil where none does.
  public var obstacle: [UInt8]? {
    switch self {
    case .certain, .missing: nil
    case .toothless(let position), .otherConfiguration(let position): position.text
    case .passedOver(_, let position), .forgotten(_, let position): position.text
    case .unknown(let refusal): refusal.place.isEmpty ? nil : refusal.place
    }
  }
}
