import MFABase
import MFAMessages
import MFAModel
import MFAQRCode

/// What a user who enrols during a sign-in sees.
///
/// OpenSSH's client writes the names of the user and the host before a question. A question with a
/// long first line therefore begins with a line break.
struct EnrollmentText {
  let language: Language

  /// The window that is assumed: the usual size less one line.
  private static var columns: Int { 80 }
  private static var rows: Int { 23 }

  /// Returns a message in lines that no usual window breaks: behind a prefix of OpenSSH's client there is a line break or
  /// a short line.
  private func lines(_ message: SignInEnrollmentMessage) -> [UInt8] {
    lines(message.text(in: language))
  }

  private func lines(_ text: MessageText) -> [UInt8] {
    text.wrapped(to: MessageText.windowColumns).utf8
  }

  private static var newline: [UInt8] { [0x0A] }

  /// Returns the first question: why a device is needed, how long there is, and how the key is to be
  /// shown. If it `offersPhone`, one of the answers is for a phone in place of an app. `keyAge` is for how many seconds the
  /// key has been known, or nil for a new one.
  func firstQuestion(
    seconds: Int64, isOffered: Bool, offersPhone: Bool, keyAge: Int64? = nil
  ) -> [UInt8] {
    let end = Self.newline
    return end
      + lines(isOffered ? .offeredIntroduction(seconds: seconds) : .introduction(seconds: seconds))
      + (keyAge.map { end + lines(.keyShownBefore(seconds: $0)) } ?? [])
      + end + end
      + lines(offersPhone ? .formsOrPhone : .forms) + end + end
      + lines(offersPhone ? .formOrPhonePrompt : .formPrompt)
  }

  /// Returns the question whether the user enrols now, below the offer.
  func offer(_ offer: MessageText) -> [UInt8] {
    Self.newline + lines(offer) + Self.newline + lines(.offerPrompt)
  }

  /// Returns why a phone is needed, and how long there is.
  func phoneIntroduction(seconds: Int64, isOffered: Bool) -> [UInt8] {
    let end = Self.newline
    return lines(
      isOffered
        ? .offeredPhoneIntroduction(seconds: seconds) : .phoneIntroduction(seconds: seconds))
      + end + end
      + phoneIsRestricted(hasAlternative: false)
  }

  /// Returns what the user has to know before the number is typed: that another person may read the codes,
  /// and that they may cost something.
  func phoneIsRestricted(hasAlternative: Bool) -> [UInt8] {
    lines(HelperMessage.phoneIsRestricted(hasAlternative: hasAlternative).text(in: language))
      + Self.newline + lines(.messageCost)
  }

  /// Returns the question for a phone number, below a text.
  func numberQuestion(after text: [UInt8]) -> [UInt8] {
    let end = Self.newline
    return end + text + end + end + lines(.phoneNumberPrompt)
  }

  /// Returns the question for the code that was sent, below a text.
  func sentCodeQuestion(after text: [UInt8]) -> [UInt8] {
    Self.newline + text + Self.newline + lines(.sentCodePrompt)
  }

  /// Returns a message of a sign-in.
  func signIn(_ message: SignInMessage) -> [UInt8] { lines(message.text(in: language)) }

  /// Returns why a number got no code, and what to do next.
  func failure(_ failure: FailureMessage, withHint: Bool = true) -> [UInt8] {
    let text = failure.text(in: language)
    return lines(text.description) + (withHint ? Self.newline + lines(text.hint) : [])
  }

  /// Returns that a factor was added, how its codes are used, and from when on.
  func done(_ factor: Factor) -> [UInt8] {
    guard case .phone(_, let usableFrom, _) = factor.kind else { return lines(.done) }
    let wait = usableFrom &- factor.enrolledAt
    guard wait > 0 else { return lines(.phoneDone) }
    return lines(HelperMessage.phoneUsableLater(seconds: wait).text(in: language))
  }

  /// Returns the key in a form, and the prompt for a code.
  func key(
    _ key: borrowing SecretBytes, url: borrowing SecretBytes, as form: EnrollmentForm
  ) -> SecretBytes {
    var reason: [UInt8] = []
    if case .picture(let colours) = form {
      let picture = Self.picture(of: url, colours)
      if picture.count > 0 {
        let heading = lines(.scan)
        let prompt = lines(.codeOrFormPrompt)
        var text = SecretText(capacity: picture.count &+ heading.count &+ prompt.count &+ 1)
        text.add(heading.span)
        text.add("\n")
        text.add(picture.span)
        text.add(prompt.span)
        return text.finish()
      }
      reason = Self.newline + lines(.noRoomForPicture)
    }
    let (typeKey, openURL, prompt) = (lines(.typeKey), lines(.openURL), lines(.codePrompt))
    var text = SecretText(
      capacity: 2 &* key.count &+ url.count &+ typeKey.count &+ openURL.count &+ prompt.count
        &+ reason.count &+ 64)
    text.add(reason.span)
    text.add("\n")
    text.add(typeKey.span)
    text.add("\n\n  ")
    text.addInFours(key.span)
    text.add("\n\n")
    text.add(openURL.span)
    text.add("\n\n")
    text.add(url.span)
    text.add("\n\n")
    text.add(prompt.span)
    return text.finish()
  }

  /// Returns the QR code, or nothing if it cannot be drawn or has no room in the usual window. The
  /// user can then type the key instead.
  private static func picture(
    of url: borrowing SecretBytes, _ colours: TerminalColours
  ) -> SecretBytes {
    // The line above and the prompt below are in the window as well. No control sequences set
    // colours: the applications between this module and the terminal would garble them.
    let room = TerminalSize(columns: columns, rows: rows &- 2)
    do throws(QRCodeError) {
      switch try TerminalPicture.of(url.span, ink: colours, room: room) {
      case .text(let text): return text
      case .needs: return SecretBytes(count: 0)
      }
    } catch {
      return SecretBytes(count: 0)
    }
  }

  /// Returns the question after a wrong code. `secondsAhead` is when the code is right, or nil if it is not within an hour.
  func questionAfterWrongCode(_ secondsAhead: Int64?) -> SecretBytes {
    let reason = secondsAhead.map { signIn(.codeOfAnotherTime(secondsAhead: $0)) }
    let text = Self.newline + (reason ?? lines(.wrongCode)) + Self.newline + lines(.codePrompt)
    return SecretBytes(copying: text.span)
  }

  /// Returns the question for the name of the device.
  func nameQuestion(usual: [UInt8], isRepeated: Bool) -> [UInt8] {
    let question = lines(.namePrompt(usual: usual))
    return isRepeated ? lines(.unsupportedName) + Self.newline + question : question
  }

  /// Returns the recovery codes under a heading, and the question whether the user has them.
  ///
  /// - Parameters:
  ///   - codes: the codes as they are written, one after the other.
  ///   - heading: the message above the codes.
  ///   - done: the text above the heading.
  /// - Returns: the question.
  func recoveryCodes(
    _ codes: Span<UInt8>, under heading: SignInEnrollmentMessage, after done: [UInt8]
  ) -> SecretBytes {
    let end = Self.newline
    let above = end + done + end + end + lines(heading) + end + end
    let below = end + lines(.keepRecoveryCodes) + end + lines(.recoveryCodesPrompt)
    let length = RecoveryCode.writtenLength
    var text = SecretText(capacity: 2 &* codes.count &+ above.count &+ below.count)
    text.add(above.span)
    for index in codes.indices {
      if index % length == 0 { text.add("  ") }
      text.add(codes[index])
      if index % length == length - 1 { text.add("\n") }
    }
    text.add(below.span)
    return text.finish()
  }
}

/// A text that contains a secret, written into one buffer that never grows and is wiped.
struct SecretText: ~Copyable {
  private var block: SecretBytes
  private var count = 0

  /// Creates an empty text with room for `capacity` bytes. Text that does not fit is left out.
  init(capacity: Int) { block = SecretBytes(count: capacity) }

  @inline(never)
  mutating func add(_ byte: UInt8) {
    let position = count
    guard position < block.count else { return }
    block.withMutableSpan { $0[position] = byte }
    count &+= 1
  }

  @inline(never)
  mutating func add(_ text: StaticString) { for byte in text.bytes { add(byte) } }

  @inline(never)
  mutating func add(_ secret: Span<UInt8>) {
    for index in secret.indices { add(secret[index]) }
  }

  /// Adds the text with a space between groups of four characters.
  mutating func addInFours(_ secret: Span<UInt8>) {
    for index in secret.indices {
      if index > 0, index & 3 == 0 { add(UInt8(ascii: " ")) }
      add(secret[index])
    }
  }

  /// Returns the text.
  consuming func finish() -> SecretBytes { block.prefix(count) }
}
