import MFABase
import MFACrypto
import MFAModel
import MFAStore

/// A users.oath file, in the format of pam_oath.
///
/// A line is `TYPE USER PASSWORD KEY [COUNTER [LASTCODE LASTTIME]]`, separated by spaces or tabs.
/// The key is hexadecimal. pam_oath treats every line with an unknown type as a comment. Here a
/// comment begins with `#`, and any other line with an unknown type is an error.
///
/// MUST 1: a line that cannot be parsed is never skipped silently. (`UsersOATHFileTests.refusals`)
/// MUST 2: neither the last used code nor any earlier code is accepted afterwards.
/// (`UsersOATHFileTests.watermarks`, `UsedFileTests`)
package enum UsersOATHFile {
  /// The longest file in bytes: enough for a hundred thousand users.
  package static let maximumLength = 16 * 1024 * 1024

  /// The longest key in bytes, as in pam_oath.
  package static let maximumSecretLength = 32

  /// The default of pam_oath's option `window`: the number of steps that are accepted before and
  /// after the current step.
  package static let defaultWindow: UInt8 = 5

  /// Parses a whole file.
  ///
  /// - Parameters:
  ///   - text: the contents of the file.
  ///   - window: the value of pam_oath's option `window`, in steps.
  ///   - moments: returns the times, in seconds since the epoch, at which clocks on this host
  ///     showed a local time. There can be none or two when clocks go forward or back.
  /// - Returns: each token, and each line that could not be read as one, in the order of the lines.
  /// - Throws: why the file as a whole was refused.
  package static func parse(
    _ text: Span<UInt8>, window: UInt8 = defaultWindow, moments: (LocalTime) -> [Int64]
  ) throws(ImportRefusal) -> [UsersOATHEntry] {
    guard !text.isEmpty else { throw ImportRefusal(reason: .empty) }
    guard text.count <= maximumLength else {
      throw ImportRefusal(reason: .tooLong(limit: maximumLength))
    }
    let lines = Text.lines(of: text)
    for (index, line) in lines.enumerated() {
      for place in line where text[place] == 0 {
        throw ImportRefusal(line: index + 1, reason: .nulByte)
      }
    }
    var entries: [UsersOATHEntry] = []
    var counts: [[UInt8]: Int] = [:]
    for (index, line) in lines.enumerated() {
      let words = Text.words(of: text, in: line)
      guard let first = words.first, text[first.lowerBound] != UInt8(ascii: "#") else { continue }
      let user = words.count > 1 ? UserName(Text.bytes(of: text, in: words[1])) : nil
      let result: Result<ImportableFactor, ImportRefusal>
      do throws(ImportRefusal) {
        result = .success(try token(text, words, window: window, moments: moments))
      } catch {
        result = .failure(ImportRefusal(line: index + 1, reason: error.reason))
      }
      var number = 0
      if let user, case .success = result {
        number = counts[user.bytes, default: 0] + 1
        counts[user.bytes] = number
      }
      // If the type is unknown, the second word may not be a user name.
      let isToken = TokenType(text, in: first) != nil
      entries.append(
        UsersOATHEntry(line: index + 1, user: isToken ? user : nil, number: number, result: result))
    }
    return entries
  }

  private static func token(
    _ text: Span<UInt8>, _ words: [Range<Int>], window: UInt8, moments: (LocalTime) -> [Int64]
  ) throws(ImportRefusal) -> ImportableFactor {
    guard let type = TokenType(text, in: words[0]) else {
      throw ImportRefusal(reason: .unknownType)
    }
    guard words.count >= 4 else { throw ImportRefusal(reason: .missingField) }
    guard words.count <= 7 else { throw ImportRefusal(reason: .tooManyFields) }
    guard UserName(Text.bytes(of: text, in: words[1])) != nil else {
      throw ImportRefusal(reason: .invalidUser)
    }
    guard let period = type.period else { throw ImportRefusal(reason: .counterBased) }
    guard
      let parameters = TOTPParameters(
        algorithm: .sha1, codeLength: type.codeLength, period: period)
    else { throw ImportRefusal(reason: .period(seconds: UInt64(period))) }
    var warnings: [ImportWarning] = []
    // `-` is an empty password, and `+` is a password that another module checks.
    let hasPassword = !["-", "+"].contains { Text.matches(text, in: words[2], $0) }
    if hasPassword { warnings.append(.passwordDropped) }
    let secret = try secret(text, in: words[3])
    // The counter has no meaning for time-based tokens.
    if words.count > 4, Text.number(text, in: words[4]) == nil {
      throw ImportRefusal(reason: .invalidCounter)
    }

    let last = try lastUse(
      text, words.dropFirst(5), secret: secret, parameters: parameters, window: window,
      moments: moments)
    if !last.isFound { warnings.append(.lastCodeNotFound) }
    return ImportableFactor(
      secret: secret, parameters: parameters, acceptedSteps: Int(window), usedSteps: last.steps,
      warnings: warnings)
  }

  /// Returns the steps that the last code may belong to. `words` are the last code and its time.
  /// For each moment at which that time occurred, the step is the latest in the window that
  /// generates the code. If no step does, returns the latest steps that could be used at those
  /// moments.
  private static func lastUse(
    _ text: Span<UInt8>, _ words: ArraySlice<Range<Int>>, secret: borrowing SecretBytes,
    parameters: TOTPParameters, window: UInt8, moments: (LocalTime) -> [Int64]
  ) throws(ImportRefusal) -> (steps: [Int64], isFound: Bool) {
    guard let word = words.first else { return ([], true) }
    let digits = Text.bytes(of: text, in: word)
    guard words.count == 2, let code = Code(answer: digits.span),
      code.length == parameters.codeLength
    else { throw ImportRefusal(reason: .invalidLastCode) }
    guard let last = words.last, let time = LocalTime(text, in: last) else {
      throw ImportRefusal(reason: .invalidLastTime)
    }
    let times = moments(time)
    guard !times.isEmpty else { throw ImportRefusal(reason: .invalidLastTime) }
    var steps: [Int64] = []
    for time in times {
      if let step = try step(
        of: code, secret: secret.span, parameters: parameters, at: time, window: window)
      {
        steps.append(step)
      }
    }
    guard steps.isEmpty else { return (steps, true) }
    for time in times {
      let (latest, overflow) = parameters.step(at: time).addingReportingOverflow(Int64(window))
      steps.append(overflow ? .max : latest)
    }
    return (steps, false)
  }

  private static func step(
    of code: Code, secret: Span<UInt8>, parameters: TOTPParameters, at time: Int64, window: UInt8
  ) throws(ImportRefusal) -> Int64? {
    do throws(SystemError) {
      return try Verification.latestMatch(
        of: code, secret: secret, parameters: parameters, now: time, adjacentIntervals: window)
    } catch {
      throw ImportRefusal(reason: .noCryptography)
    }
  }

  /// Returns the key: two hexadecimal digits per byte, in either case.
  private static func secret(
    _ text: Span<UInt8>, in range: Range<Int>
  ) throws(ImportRefusal) -> SecretBytes {
    let length = range.count / 2
    guard range.count % 2 == 0 else { throw ImportRefusal(reason: .unreadableSecret) }
    var secret = SecretBytes(count: length)
    let isReadable = secret.withMutableSpan { secret in
      for index in secret.indices {
        guard let high = Hexadecimal.value(text[range.lowerBound + 2 * index]),
          let low = Hexadecimal.value(text[range.lowerBound + 2 * index + 1])
        else { return false }
        secret[index] = high << 4 | low
      }
      return true
    }
    guard isReadable else { throw ImportRefusal(reason: .unreadableSecret) }
    guard length >= ImportableFactor.secretLengths.lowerBound else {
      throw ImportRefusal(reason: .secretTooShort(bytes: length))
    }
    guard length <= maximumSecretLength else {
      throw ImportRefusal(reason: .secretTooLong(bytes: length))
    }
    return secret
  }
}

/// One token of a users.oath file, or one line that could not be read as a token.
package struct UsersOATHEntry: Sendable {
  /// The line, counted from 1.
  package let line: Int

  /// The user that the token belongs to, or nil if the line does not name one.
  package let user: UserName?

  /// The token's position among this user's valid tokens, counted from 1, or 0 if the line was
  /// refused. The factor's name contains this number.
  package let number: Int

  /// The token as a factor, or why it was refused.
  package let result: Result<ImportableFactor, ImportRefusal>
}
