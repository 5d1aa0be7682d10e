/// Whether a service's stack always calls the module in its `account` line, and always denies
/// access when that line denies it.
///
/// MUST 1: a line that may be skipped, or whose denial may be discarded, is never reported as
/// certain. (`AccountLineTests`)
package enum AccountLine: Equatable, Sendable {
  /// Always, because of this line.
  case certain(at: StackPosition)
  /// The stack has no such line.
  case missing
  /// The stack can succeed although the line denies: its control is `optional`, `sufficient`, or a
  /// list of actions in brackets that ignores a failure.
  case denialIgnored(at: StackPosition)
  /// The line uses a different configuration file from the `auth` line.
  case otherConfiguration(at: StackPosition)
  /// Another line may end the stack before this line, or jump over it.
  case skippable(at: StackPosition, by: StackPosition)
  /// Another line may discard the denial.
  case forgotten(at: StackPosition, by: StackPosition)
  /// The stack could not be read.
  case unknown(StackRefusal)

  /// Examines a service whose `auth` line has these arguments.
  ///
  /// If the caller is not root (by the real uid of the process), an earlier line with
  /// pam_rootok.so, as in the stack of `su`, skips nothing because it fails.
  package init<Source: StackSource>(
    of module: StaticString, service: [UInt8], authArguments: [[UInt8]], isCalledByRoot: Bool,
    from source: Source
  ) {
    do throws(StackRefusal) {
      let stack = try source.accountStack(of: service)
      self = stack.accountLine(
        of: module, configuration: Self.configurations(authArguments), isCalledByRoot)
    } catch {
      self = .unknown(error)
    }
  }

  /// Returns the arguments that name a configuration file.
  static func configurations(_ arguments: [[UInt8]]) -> [[UInt8]] {
    arguments.filter { $0.starts(with: Word.bytes("config=")) }
  }
}

extension ServiceStack {
  /// Returns the result for the first line of the module that is certain. If no line is certain,
  /// returns the result for the module's first line.
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
    else { return .denialIgnored(at: position) }
    guard AccountLine.configurations(arguments) == configuration else {
      return .otherConfiguration(at: position)
    }
    for (other, obstacle) in entries.enumerated() where other < index {
      if !isCalledByRoot, obstacle.fails { continue }
      if maySkip(index, at: other) {
        return .skippable(at: position, by: obstacle.position)
      }
    }
    // Check lines in any position. Even an earlier line can discard the denial, after the denial
    // has ended a substack.
    if let obstacle = entries.first(where: { $0.mayReset }) {
      return .forgotten(at: position, by: obstacle.position)
    }
    return .certain(at: position)
  }
}

extension StackEntry {
  /// Whether the entry calls pam_rootok.so, which fails for every caller except root, and has no
  /// jumps.
  fileprivate var fails: Bool {
    switch kind {
    case .substack: false
    case .module(_, _, let control): asks(module: "pam_rootok.so") && !control.mayJump
    }
  }
}

extension AccountLine {
  /// The result as named in log lines.
  package var name: StaticString {
    switch self {
    case .certain: "certain"
    case .missing: "missing"
    case .denialIgnored: "denial-ignored"
    case .otherConfiguration: "other-configuration"
    case .skippable: "skippable"
    case .forgotten: "result-reset"
    case .unknown(let refusal): refusal.name
    }
  }

  /// The line or file that causes the result; nil if the result has no such cause.
  package var obstacle: [UInt8]? {
    switch self {
    case .certain, .missing: nil
    case .denialIgnored(let position), .otherConfiguration(let position): position.text
    case .skippable(_, let position), .forgotten(_, let position): position.text
    case .unknown(let refusal): refusal.place.isEmpty ? nil : refusal.place
    }
  }
}
