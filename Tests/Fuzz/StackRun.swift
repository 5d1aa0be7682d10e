import MFAPAMStack
import MFADoctor

/// Runs a stack like libpam, for everything that its modules can return.
struct StackRun {
  private let machine: StackMachine

  init(_ stack: ServiceStack) { machine = StackMachine(stack) }

  /// Returns whether the stack succeeds for any of the `results` of its modules.
  func maySucceed(_ results: (StackEntry) -> [PAMReturnCode]) -> Bool {
    var seen: Set = [machine.start]
    var open = [machine.start]
    while let state = open.popLast() {
      guard !machine.isAtEnd(state) else {
        if state.outcome == .positive(.success) { return true }
        continue
      }
      for code in results(machine.entries[state.index]) {
        let next = machine.next(state, code)
        if seen.insert(next).inserted { open.append(next) }
      }
    }
    return false
  }
}
