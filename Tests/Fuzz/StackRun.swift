import PAMStack

/// Runs a stack as libpam does (`_pam_dispatch_aux` in Linux-PAM's pam_dispatch.c), for every result
/// of its modules. A module succeeds, or fails with PAM_AUTH_ERR. A stack that succeeds with libpam
/// for such results succeeds here too.
struct StackRun {
  /// What the results so far come to.
  private enum Impression { case undefined, positive, negative }

  private struct State: Hashable {
    var index: Int
    var impression: Impression
    /// The impression at the start of each substack that is open.
    var outer: [Impression]

    mutating func succeed() {
      if impression == .undefined { impression = .positive }
    }
  }

  private let entries: [StackEntry]

  init(_ entries: [StackEntry]) { self.entries = entries }

  /// Whether the stack succeeds for some of the `results` of its modules.
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
      // Substacks that ended before this entry.
      while state.outer.count > entry.level { state.outer.removeLast() }
      guard case .module(_, _, let control) = entry.kind else {
        state.outer.append(state.impression)
        state.index += 1
        open.append(state)
        continue
      }
      for succeeds in results(entry) {
        open.append(next(state, succeeds ? control.onSuccess : control.onFailure, succeeds))
        // What `ignore` leaves as it is, `ok` turns into a success; both are one action here.
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
    // libpam lets a failure with `ok` fail the stack, and ignores one with `ignore`. Both are one
    // action here, so the failure is ignored: that is the case in which more stacks succeed.
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
    // libpam denies where fewer lines are left than are to be left out.
    if skipped > 0 { state.impression = .negative }
    state.index = index
    return state
  }
}
