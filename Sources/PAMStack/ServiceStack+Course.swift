// Which way PAM takes through a stack.

extension ServiceStack {
  /// Whether an answer to the entry at `start` may leave out the one at `index` behind it.
  public func mayPassOver(_ index: Int, at start: Int) -> Bool {
    guard case .module(_, _, let control) = entries[start].kind else { return false }
    let level = entries[start].level
    // How many entries of the obstacle's own level lie from it up to the one in question, substacks
    // counting as one; nil where its stack ends before.
    var distance = 0
    for (other, entry) in entries.enumerated() where other > start && other <= index {
      if entry.level < level { return false }
      if entry.level == level { distance &+= 1 }
    }
    return control.mayEndStack || control.jumps.contains { $0 >= distance && $0 > 0 }
  }

  /// Whether PAM comes from the entry at `start` to the one at `index` behind it, where `fails` tells
  /// which entries fail and the others succeed.
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
        // In a substack, that substack alone.
        guard let next = next(after: present, below: entry.level) else { return false }
        present = next
      case .jumps(let count):
        guard let next = landing(count, from: present) else { return false }
        present = next
      }
    }
    return present == index
  }

  /// The first entry behind one that lies in fewer substacks than `level`.
  private func next(after start: Int, below level: Int) -> Int? {
    for (other, entry) in entries.enumerated() where other > start && entry.level < level {
      return other
    }
    return nil
  }

  /// Where a jump leads to that leaves out so many entries of its own level.
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
  /// Whether an answer may have the answers before it forgotten.
  public var mayForget: Bool {
    switch kind {
    case .substack: false
    case .module(_, _, let control): control.mayForget
    }
  }
}
