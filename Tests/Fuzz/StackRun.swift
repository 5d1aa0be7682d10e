import MFAPAMStack

/// Runs a stack like libpam (`_pam_dispatch_aux` in Linux-PAM's pam_dispatch.c), for every result
/// of its modules. A module succeeds, or fails with PAM_AUTH_ERR. Every stack that succeeds with
/// libpam for such results succeeds here too.
struct StackRun {
  /// The combined result so far.
  private enum Impression { case undefined, positive, negative }

  private struct State: Hashable {
    var index: Int
    var impression: Impression
    /// The combined result at the start of each open substack.
    var outer: [Impression]

    mutating func succeed() {
      if impression == .undefined { impression = .positive }
    }
  }

  private let entries: [StackEntry]

  init(_ entries: [StackEntry]) { self.entries = entries }

  /// Returns whether the stack succeeds for any of the `results` of its modules.
  func maySucceed(_ results: (StackEntry) -> [Bool]) -> Bool {
    var seen: Set<State> = []
    var open = [State(index: 0, impression: .undefined, outer: [])]
    while let state = open.popLast() {
      guard seen.insert(state).inserted else { continue }
      guard state.index < entries.count else {
        if state.impression == .positive { return true }
        continue
      }
      var state = state
      let entry = entries[state.index]
      // Removes substacks that ended before this entry.
      while state.outer.count > entry.level { state.outer.removeLast() }
      guard case .module(_, _, let control) = entry.kind else {
        state.outer.append(state.impression)
        state.index += 1
        open.append(state)
        continue
      }
      for succeeds in results(entry) {
        open.append(next(state, succeeds ? control.onSuccess : control.onFailure, succeeds))
        // `ok` turns an undefined result into a success and `ignore` does not; both are one action
        // here.
        if succeeds, control.onSuccess == .goesOn {
          open.append(next(state, .goesOn, false))
        }
      }
    }
    return false
  }

  private func next(_ state: State, _ action: StackControl.Action, _ succeeds: Bool) -> State {
    var state = state
    let level = entries[state.index].level
    var isAtEnd = false
    var skipped = 0
    switch action {
    // In libpam, a failure with `ok` fails the stack, and a failure with `ignore` is ignored. Both
    // are one action here, so the failure is ignored, which lets more stacks succeed.
    case .goesOn: if succeeds { state.succeed() }
    case .denies: state.impression = .negative
    case .deniesAtOnce:
      state.impression = .negative
      isAtEnd = true
    case .ends:
      if succeeds { state.succeed() } else { state.impression = .negative }
      isAtEnd = !succeeds || state.impression == .positive
    case .forgets: state.impression = state.outer.last ?? .undefined
    case .jumps(let count):
      if succeeds { state.succeed() }
      skipped = count
    }
    var index = state.index + 1
    while index < entries.count, entries[index].level >= level {
      if entries[index].level == level, !isAtEnd {
        guard skipped > 0 else { break }
        skipped -= 1
      }
      index += 1
    }
    // libpam denies if fewer lines are left than the jump skips.
    if skipped > 0 { state.impression = .negative }
    state.index = index
    return state
  }
}
