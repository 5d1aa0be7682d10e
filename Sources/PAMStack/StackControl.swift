/// What becomes of a module's answer (pam.conf(5), "control"), as far as it matters to the lines that
/// follow.
public struct StackControl: Equatable, Sendable {
  /// Whether every answer but success, "ignore" and "new password required" fails the stack for good.
  public private(set) var deniesEveryFailure: Bool
  /// Whether each of these answers ends the stack too, so that nothing behind it is asked.
  public private(set) var endsAtEveryFailure: Bool
  /// Whether an answer may end the stack, and leave out the lines that follow.
  public private(set) var mayEndStack: Bool
  /// Whether an answer may have the stack forget the answers before it.
  public private(set) var mayForget: Bool
  /// How many lines answers may leave out.
  public private(set) var jumps: [Int]
  /// What comes of success.
  public private(set) var onSuccess: Action
  /// What comes of a wrong answer by the person who signs in (PAM_AUTH_ERR).
  public private(set) var onFailure: Action

  private init(denies: Bool, onSuccess: Action, onFailure: Action) {
    deniesEveryFailure = denies
    endsAtEveryFailure = onFailure == .deniesAtOnce
    mayEndStack = onSuccess == .ends
    mayForget = false
    jumps = []
    self.onSuccess = onSuccess
    self.onFailure = onFailure
  }

  /// Reads one of the simple controls. Nil for anything else.
  init?(word: [UInt8]) {
    if Word.equals(word, "required") {
      self.init(denies: true, onSuccess: .goesOn, onFailure: .denies)
    } else if Word.equals(word, "requisite") {
      self.init(denies: true, onSuccess: .goesOn, onFailure: .deniesAtOnce)
    } else if Word.equals(word, "sufficient") {
      self.init(denies: false, onSuccess: .ends, onFailure: .goesOn)
    } else if Word.equals(word, "optional") {
      self.init(denies: false, onSuccess: .goesOn, onFailure: .goesOn)
    } else {
      return nil
    }
  }

  /// Reads what stands between the brackets: `value=action ...`. Nil where it is anything else.
  init?(actions text: [UInt8]) {
    self.init(denies: false, onSuccess: .denies, onFailure: .denies)
    var words = Self.words(text).makeIterator()
    var defaultDenies = false
    var success: Action?
    var failure: Action?
    var exceptionPasses = false
    var exceptionGoesOn = false
    while let value = words.next() {
      guard value != Self.equalsSign, words.next() == Self.equalsSign,
        let word = words.next(), let action = Action(word)
      else { return nil }
      note(action)
      if Word.equals(value, "default") {
        defaultDenies = action.isDenial
        onSuccess = action
        onFailure = action
      } else if !Self.isNoFailure(value) {
        if !action.isDenial { exceptionPasses = true }
        if action != .deniesAtOnce { exceptionGoesOn = true }
      }
      if Word.equals(value, "success") { success = action }
      if Word.equals(value, "auth_err") { failure = action }
    }
    deniesEveryFailure = defaultDenies && !exceptionPasses
    // `onFailure` is the default's yet.
    endsAtEveryFailure = onFailure == .deniesAtOnce && !exceptionGoesOn
    // Wherever `default` stands, it is for what has no action of its own.
    onSuccess = success ?? onSuccess
    onFailure = failure ?? onFailure
  }

  /// What an answer does to the stack.
  public enum Action: Equatable, Sendable {
    /// `bad`: the stack fails, whatever comes.
    case denies
    /// `die`: it fails, and ends.
    case deniesAtOnce
    /// `ok` and `ignore`.
    case goesOn
    /// `done`
    case ends
    /// `reset`
    case forgets
    /// So many lines are left out.
    case jumps(Int)

    var isDenial: Bool { self == .denies || self == .deniesAtOnce }

    init?(_ word: [UInt8]) {
      if Word.equals(word, "bad") {
        self = .denies
      } else if Word.equals(word, "die") {
        self = .deniesAtOnce
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
    case .denies, .deniesAtOnce, .goesOn: return
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
