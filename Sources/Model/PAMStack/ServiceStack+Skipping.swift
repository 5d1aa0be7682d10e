// Whether an entry may skip a later one, or discard earlier results.

extension ServiceStack {
  /// Returns whether a result of the entry at `start` may skip the later entry at `index`.
  package func maySkip(_ index: Int, at start: Int) -> Bool {
    guard case .module(_, _, let control) = entries[start].kind else { return false }
    let level = entries[start].level
    // The number of entries after `start`, up to `index`, on the level of the entry at `start`. A
    // substack counts as one entry.
    var distance = 0
    for (other, entry) in entries.enumerated() where other > start && other <= index {
      if entry.level < level { return false }
      if entry.level == level { distance &+= 1 }
    }
    return control.mayEndStack || control.jumps.contains { $0 >= distance && $0 > 0 }
  }
}

extension StackEntry {
  /// Whether a result of the entry may discard earlier results.
  package var mayReset: Bool {
    switch kind {
    case .substack: false
    case .module(_, _, let control): control.mayReset
    }
  }
}
