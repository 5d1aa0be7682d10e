/// Carries out the lines of a stack as libpam does (`_pam_dispatch_aux` of Linux-PAM): it combines
/// what the modules return to the result of the stack.
///
/// MUST 1: libpam comes to the same result, and calls the same modules. (`StackMachineTests`)
package struct StackMachine {
  /// The result of the lines carried out so far.
  package enum Outcome: Hashable {
    /// No line has counted yet. A stack that ends so fails.
    case undefined
    /// Lines have counted, and none has failed. The value is the return code of the stack.
    case positive(PAMReturnCode)
    /// A line has failed. The value is the return code of the stack.
    case negative(PAMReturnCode)

    /// The return code of a stack that ends with this result.
    package var code: PAMReturnCode {
      switch self {
      case .undefined, .negative(.success): .permissionDenied
      case .positive(let code), .negative(let code): code
      }
    }
  }

  /// A position in the stack, with all that matters to the lines that follow.
  package struct State: Hashable {
    /// The index of the next line; the number of lines at the end.
    package fileprivate(set) var index = 0
    /// The result so far.
    package fileprivate(set) var outcome: Outcome = .undefined
    /// The result at the start of each substack that contains the line before.
    fileprivate var outer: [Outcome] = []
  }

  /// The lines.
  package let entries: [StackEntry]

  /// Creates a machine for a stack.
  package init(_ stack: ServiceStack) { entries = stack.entries }

  /// The state in which the next line calls a module, or in which no line is left, at the start.
  package var start: State { enteringSubstacks(State()) }

  /// Whether no line is left.
  package func isAtEnd(_ state: State) -> Bool { state.index >= entries.count }

  /// Returns the state after the next line, if its module returns `code`.
  package func next(_ state: State, _ code: PAMReturnCode) -> State {
    guard state.index < entries.count, case .module(_, _, let control) = entries[state.index].kind
    else { return state }
    var state = state
    switch control.action(for: code) {
    case .ignore: state.index += 1
    case .ok:
      state.count(code)
      state.index += 1
    case .done:
      state.count(code)
      if case .positive = state.outcome { leave(&state) } else { state.index += 1 }
    case .bad:
      state.fail(code)
      state.index += 1
    case .die:
      state.fail(code)
      leave(&state)
    case .reset:
      state.outcome = state.outer.last ?? .undefined
      state.index += 1
    case .jump(let count): jump(count, &state)
    }
    return enteringSubstacks(state)
  }

  /// Returns the state after the line at `index`, if no line before it has counted and its module
  /// returns `code`.
  func next(after index: Int, _ code: PAMReturnCode) -> State {
    var state = State()
    state.index = index
    return next(state, code)
  }

  /// Moves to the first line after the substack that contains the line, or to the end.
  private func leave(_ state: inout State) {
    let level = entries[state.index].level
    state.index += 1
    while state.index < entries.count, entries[state.index].level >= level { state.index += 1 }
  }

  /// Skips `count` lines. A substack is one line. The stack fails if there are fewer.
  private func jump(_ count: Int, _ state: inout State) {
    let level = entries[state.index].level
    var left = count
    var last = state.index
    while left > 0, last + 1 < entries.count, entries[last + 1].level >= level {
      repeat { last += 1 } while last + 1 < entries.count && entries[last + 1].level > level
      left -= 1
    }
    if left > 0 { state.outcome = .negative(.permissionDenied) }
    state.index = last + 1
  }

  /// Returns the return code for which a line jumps past the end of its stack, so that libpam denies
  /// the sign-in, or nil.
  package func codeThatJumpsPastEnd(at index: Int) -> PAMReturnCode? {
    guard case .module(_, _, let control) = entries[index].kind else { return nil }
    return PAMReturnCode.allCases.first { code in
      guard case .jump = control.action(for: code) else { return false }
      return next(after: index, code).outcome != .undefined
    }
  }

  /// Moves to the next line that calls a module.
  private func enteringSubstacks(_ state: State) -> State {
    var state = state
    while state.index < entries.count {
      let entry = entries[state.index]
      if state.outer.count > entry.level { state.outer.removeLast(state.outer.count - entry.level) }
      guard case .substack = entry.kind else { return state }
      state.outer.append(state.outcome)
      state.index += 1
    }
    return state
  }
}

extension StackMachine.State {
  fileprivate mutating func count(_ code: PAMReturnCode) {
    switch outcome {
    case .undefined, .positive(.success): outcome = .positive(code)
    case .positive, .negative: return
    }
  }

  fileprivate mutating func fail(_ code: PAMReturnCode) {
    if case .negative = outcome { return }
    outcome = .negative(code == .ignore ? .permissionDenied : code)
  }
}
