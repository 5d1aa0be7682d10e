import MFABase

/// The control of a line: what each return code of its module does to the stack (pam.conf(5),
/// "control").
///
/// MUST 1: libpam takes the same action for each return code. (`StackMachineTests.agreesWithLibpam`)
package struct StackControl: Equatable, Sendable {
  /// The effect of a return code on the stack.
  package enum Action: Equatable, Sendable {
    /// The return code is not used.
    case ignore
    /// The return code becomes the stack's, unless an earlier line has failed.
    case ok
    /// Like `ok`, and ends the stack unless an earlier line has failed.
    case done
    /// The stack fails, whatever follows.
    case bad
    /// Like `bad`, and ends the stack.
    case die
    /// Earlier results are discarded.
    case reset
    /// This many lines are skipped.
    case jump(Int)
  }

  /// The action for each return code, by its number.
  private let actions: [Action]

  /// Returns the action for a return code.
  package func action(for code: PAMReturnCode) -> Action {
    let index = Int(code.rawValue)
    return actions.indices.contains(index) ? actions[index] : .bad
  }

  /// Parses one of the simple controls. Returns nil for any other word.
  init?(word: [UInt8]) {
    if Word.equals(word, "required") {
      self.init(success: .ok, ignore: .ignore, default: .bad)
    } else if Word.equals(word, "requisite") {
      self.init(success: .ok, ignore: .ignore, default: .die)
    } else if Word.equals(word, "sufficient") {
      self.init(success: .done, ignore: .ignore, default: .ignore)
    } else if Word.equals(word, "optional") {
      self.init(success: .ok, ignore: .ignore, default: .ignore)
    } else {
      return nil
    }
  }

  private init(success: Action, ignore: Action, default other: Action) {
    actions = PAMReturnCode.allCases.map { code in
      switch code {
      case .success, .newTokenRequired: success
      case .ignore: ignore
      case _: other
      }
    }
  }

  /// Parses the text in brackets, `value=action ...`. Returns nil if it is invalid: libpam then
  /// treats each return code as `bad`.
  init?(actions text: [UInt8]) {
    var named: [Action?] = PAMReturnCode.allCases.map { _ in nil }
    var reader = Reader(rest: text[...])
    while reader.skipBlanks() {
      if reader.take("default") {
        guard let action = reader.action() else { return nil }
        // `default` applies to the codes that no earlier word names. Later words replace it.
        named = named.map { $0 ?? action }
      } else {
        guard let code = PAMReturnCode.allCases.first(where: { reader.take($0.name) }),
          let action = reader.action(), named.indices.contains(Int(code.rawValue))
        else { return nil }
        named[Int(code.rawValue)] = action
      }
    }
    actions = named.map { $0 ?? .bad }
  }

  /// Reads the text in brackets from its beginning.
  private struct Reader {
    var rest: ArraySlice<UInt8>

    /// Skips blanks. Returns whether anything follows.
    mutating func skipBlanks() -> Bool {
      rest = rest.drop { Word.isBlank($0) }
      return !rest.isEmpty
    }

    /// Skips `word` if the text begins with it. Like libpam, distinguishes upper and lower case.
    mutating func take(_ word: StaticString) -> Bool {
      let bytes = word.bytes
      guard rest.starts(with: bytes) else { return false }
      rest = rest.dropFirst(bytes.count)
      return true
    }

    /// Reads an equals sign, which blanks may surround, and an action.
    mutating func action() -> Action? {
      guard skipBlanks(), take("="), skipBlanks() else { return nil }
      if take("ignore") { return .ignore }
      if take("ok") { return .ok }
      if take("done") { return .done }
      if take("bad") { return .bad }
      if take("die") { return .die }
      if take("reset") { return .reset }
      return jump()
    }

    /// Reads the number of lines to skip, at most 9999. Zero is not valid.
    private mutating func jump() -> Action? {
      var number = 0
      while let digit = rest.first?.decimalDigit {
        number = number &* 10 &+ Int(digit)
        guard number <= 9999 else { return nil }
        rest = rest.dropFirst()
      }
      return number > 0 ? .jump(number) : nil
    }
  }
}

// What matters to the lines that follow.
extension StackControl {
  /// Whether every failure makes the stack fail, whatever follows.
  package var deniesEveryFailure: Bool {
    PAMReturnCode.allCases.allSatisfy { !$0.isFailure || action(for: $0).isDenial }
  }

  /// Whether a return code may discard earlier results.
  package var mayReset: Bool { actions.contains(.reset) }

  /// Whether a return code may skip lines that follow without ending the stack.
  package var mayJump: Bool { actions.contains { $0.skipsLines && $0 != .done } }

  /// The action when the user fails authentication (PAM_AUTH_ERR).
  package var onFailure: Action { action(for: .authenticationError) }
}

extension StackControl.Action {
  /// Whether the stack fails.
  package var isDenial: Bool { self == .bad || self == .die }

  /// Whether lines that follow may be skipped although none has failed.
  package var skipsLines: Bool {
    switch self {
    case .done, .jump: true
    case .ignore, .ok, .bad, .die, .reset: false
    }
  }
}
