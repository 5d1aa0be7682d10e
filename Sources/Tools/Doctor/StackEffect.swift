import MFAPAMStack

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
