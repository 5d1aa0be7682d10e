// The path that PAM takes through a stack.

extension ServiceStack {
  /// Returns whether a result of the entry at `start` may skip the later entry at `index`.
  public func maySkip(_ index: Int, at start: Int) -> Bool {
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

  /// Returns whether PAM reaches the later entry at `index` from the entry at `start`, if the
  /// entries for which `fails` returns true fail and all others succeed.
  public func isReached(
    _ index: Int, from start: Int, whereFailing fails: (StackEntry) -> Bool
  ) -> Bool {
    var present = start
    while present < index {
      let entry = entries[present]
      guard case .module(_, _, let control) = entry.kind else {
        present &+= 1
        continue
      }
      switch fails(entry) ? control.onFailure : control.onSuccess {
      case .denies, .goesOn, .forgets: present &+= 1
      case .deniesAtOnce, .ends:
        // Within a substack, this ends only the substack.
        guard let next = next(after: present, below: entry.level) else { return false }
        present = next
      case .jumps(let count):
        guard let next = landing(count, from: present) else { return false }
        present = next
      }
    }
    return present == index
  }

  /// Returns the first entry after `start` that lies in fewer substacks than `level`.
  private func next(after start: Int, below level: Int) -> Int? {
    for (other, entry) in entries.enumerated() where other > start && entry.level < level {
      return other
    }
    return nil
  }

  /// Returns the target of a jump that skips `count` entries of its own level.
  private func landing(_ count: Int, from start: Int) -> Int? {
    var left = count
    for (other, entry) in entries.enumerated() where other > start {
      if entry.level < entries[start].level { return other }
      guard entry.level == entries[start].level else { continue }
      if left == 0 { return other }
      left &-= 1
    }
    return nil
  }
}

extension StackEntry {
  /// Whether a result of the entry may discard earlier results.
  public var mayReset: Bool {
    switch kind {
    case .substack: false
    case .module(_, _, let control): control.mayReset
    }
  }
}
