/// What becomes of a module's answer (pam.conf(5), "control"), as far as it matters to the lines that
/// follow.
public struct StackControl: Equatable, Sendable {
  /// Whether every answer but success, "ignore" and "new password required" fails the stack for good.
  public private(set) var deniesEveryFailure: Bool
  /// Whether an answer may end the stack, and leave out the lines that follow.
  public private(set) var mayEndStack: Bool
  /// Whether an answer may have the stack forget the answers before it.
  public private(set) var mayForget: Bool
  /// How many lines answers may leave out.
  public private(set) var jumps: [Int]

  private init(denies: Bool, ends: Bool = false) {
    deniesEveryFailure = denies
    mayEndStack = ends
    mayForget = false
    jumps = []
  }

  /// Reads one of the simple controls. Nil for anything else.
  init?(word: [UInt8]) {
    if Word.equals(word, "required") || Word.equals(word, "requisite") {
      self.init(denies: true)
    } else if Word.equals(word, "sufficient") {
      self.init(denies: false, ends: true)
    } else if Word.equals(word, "optional") {
      self.init(denies: false)
    } else {
      return nil
    }
  }

  /// Reads what stands between the brackets: `value=action ...`. Nil where it is anything else.
  init?(actions text: [UInt8]) {
    self.init(denies: false)
    var words = Self.words(text).makeIterator()
    var defaultDenies = false
    var exceptionPasses = false
    while let value = words.next() {
      guard value != Self.equalsSign, words.next() == Self.equalsSign,
        let word = words.next(), let action = Action(word)
      else { return nil }
      note(action)
      if Word.equals(value, "default") {
        defaultDenies = action == .denies
      } else if !Self.isNoFailure(value), action != .denies {
        exceptionPasses = true
      }
    }
    deniesEveryFailure = defaultDenies && !exceptionPasses
  }

  /// What an answer does to the stack.
  private enum Action: Equatable {
    /// `bad` and `die`: the stack fails, whatever comes.
    case denies
    /// `ok` and `ignore`.
    case goesOn
    /// `done`
    case ends
    /// `reset`
    case forgets
    case jumps(Int)

    init?(_ word: [UInt8]) {
      if Word.equals(word, "bad") || Word.equals(word, "die") {
        self = .denies
      } else if Word.equals(word, "ok") || Word.equals(word, "ignore") {
        self = .goesOn
      } else if Word.equals(word, "done") {
        self = .ends
      } else if Word.equals(word, "reset") {
        self = .forgets
      } else {
        guard let count = Self.number(word) else { return nil }
        self = .jumps(count)
      }
    }

    private static func number(_ word: [UInt8]) -> Int? {
      guard !word.isEmpty, word.count <= 4 else { return nil }
      var number = 0
      for digit in word {
        guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
        number = number &* 10 &+ Int(digit &- UInt8(ascii: "0"))
      }
      return number
    }
  }

  private mutating func note(_ action: Action) {
    switch action {
    case .denies, .goesOn: return
    case .ends: mayEndStack = true
    case .forgets: mayForget = true
    case .jumps(let count): if !jumps.contains(count) { jumps.append(count) }
    }
  }

  private static func isNoFailure(_ value: [UInt8]) -> Bool {
    Word.equals(value, "success") || Word.equals(value, "ignore")
      || Word.equals(value, "new_authtok_reqd")
  }

  private static var equalsSign: [UInt8] { [UInt8(ascii: "=")] }

  /// Words and equals signs, which blanks may stand around.
  private static func words(_ text: [UInt8]) -> [[UInt8]] {
    var words: [[UInt8]] = []
    var word: [UInt8] = []
    for byte in text {
      let isSign = byte == UInt8(ascii: "=")
      guard isSign || Word.isBlank(byte) else {
        word.append(byte)
        continue
      }
      if !word.isEmpty { words.append(word) }
      word = []
      if isSign { words.append(equalsSign) }
    }
    if !word.isEmpty { words.append(word) }
    return words
  }
}
