/// The effect of a module's result on the stack (pam.conf(5), "control"), as far as it matters to
/// the lines that follow.
public struct StackControl: Equatable, Sendable {
  /// Whether every result other than success, "ignore" and "new password required" makes the stack
  /// fail, whatever follows.
  public private(set) var deniesEveryFailure: Bool
  /// Whether each of these results also ends the stack, so that no later module is called.
  public private(set) var endsAtEveryFailure: Bool
  /// Whether a result may end the stack and skip the lines that follow.
  public private(set) var mayEndStack: Bool
  /// Whether a result may discard earlier results.
  public private(set) var mayReset: Bool
  /// The numbers of lines that results may skip.
  public private(set) var jumps: [Int]
  /// The action on success.
  public private(set) var onSuccess: Action
  /// The action when the user fails authentication (PAM_AUTH_ERR).
  public private(set) var onFailure: Action

  private init(denies: Bool, onSuccess: Action, onFailure: Action) {
    deniesEveryFailure = denies
    endsAtEveryFailure = onFailure == .deniesAtOnce
    mayEndStack = onSuccess == .ends
    mayReset = false
    jumps = []
    self.onSuccess = onSuccess
    self.onFailure = onFailure
  }

  /// Parses one of the simple controls. Returns nil for any other word.
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

  /// Parses the text in brackets, `value=action ...`. Returns nil if it is invalid.
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
    // `onFailure` is still the action of `default` here.
    endsAtEveryFailure = onFailure == .deniesAtOnce && !exceptionGoesOn
    // `default` applies only to values without an action of their own, wherever `default` stands.
    onSuccess = success ?? onSuccess
    onFailure = failure ?? onFailure
  }

  /// The effect of a result on the stack.
  public enum Action: Equatable, Sendable {
    /// `bad`: the stack fails, whatever follows.
    case denies
    /// `die`: the stack fails and ends.
    case deniesAtOnce
    /// `ok` and `ignore`: the stack continues.
    case goesOn
    /// `done`: the stack ends.
    case ends
    /// `reset`: earlier results are discarded.
    case forgets
    /// A number: this many lines are skipped.
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
    case .forgets: mayReset = true
    case .jumps(let count): if !jumps.contains(count) { jumps.append(count) }
    }
  }

  private static func isNoFailure(_ value: [UInt8]) -> Bool {
    Word.equals(value, "success") || Word.equals(value, "ignore")
      || Word.equals(value, "new_authtok_reqd")
  }

  private static var equalsSign: [UInt8] { [UInt8(ascii: "=")] }

  /// Splits a text into words and equals signs, which may have blanks around them.
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
