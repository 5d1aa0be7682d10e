import MFAApplication
import MFAFactorStore
import MFAAuditLog
import MFAAuthentication
import MFABytes
import MFACrypto
import MFAFactors
import MFAOneTimePassword
import MFAPolicy
import MFASecrets
import MFAStoreFiles
import MFAQRCode
import MFASystem

/// Why an enrolment during a sign-in did not succeed.
enum EnrollmentError: Error {
  case obstacle(EnrollmentObstacle)
  case failure(SignInResult.Failure)
}

/// The factor that was enrolled during a sign-in, and the recovery codes to show.
private final class EnrolledInSignIn {
  let factor: Factor
  let codes: SecretBytes
  /// The audit log entry.
  let checkpoint: AuditLogCheckpoint?

  init(_ factor: Factor, codes: consuming SecretBytes, _ checkpoint: AuditLogCheckpoint?) {
    self.factor = factor
    self.checkpoint = checkpoint
    self.codes = codes
  }
}

/// Enrolment during a sign-in. All text is part of a question, because some applications do not
/// show other messages.
///
/// MUST 1: enrolment begins only after the first factor has been proven in the same sign-in.
/// (`EnrollmentDialogTests.onlyAfterTheFirstFactor`)
/// MUST 2: nothing is written before a code of the new secret is accepted. Then factor, watermark
/// and recovery codes are written together. (`EnrollmentDialogTests.nothingEnrolled`)
/// MUST 3: no lock is held while the user is asked. (`EnrollmentDialogTests.noLockAtThePrompt`)
/// MUST 4: a factor that was enrolled in the meantime stays unchanged, and this sign-in is denied.
/// (`EnrollmentDialogTests.enrolledMeanwhile`)
struct SignInEnrollment<Machine: Host, Asker: Application> {
  let host: Machine
  let application: Asker
  let account: Account
  let source: Source
  /// The PAM service.
  let service: [UInt8]
  let settings: Settings
  let store: Machine.Store

  /// The time limit for the whole enrolment, in seconds. NIST SP 800-63B-4, section 4.1, allows ten
  /// minutes for a binding code.
  static var longest: Int64 { 600 }

  /// The number of wrong answers that ends the enrolment.
  static var maximumWrongAnswers: Int { 3 }

  /// The width of a terminal, in columns.
  static var maximumColumns: Int { 80 }

  // MARK: Flow

  func run() throws(SignInResult.Failure) -> SignInResult {
    do throws(EnrollmentError) {
      let start = try now()
      let hasBlocks = try askAboutBlocks()
      let draft = try newDraft()
      let step = try confirmation(of: draft, hasBlocks: hasBlocks, since: start)
      let enrolled = try commit(draft, confirmedAt: step)
      if !host.deliverNotices(to: account) {
        application.log(.warning, Delivery.failure(for: account))
      }
      showRecoveryCodes(enrolled)
      return .allowed(.enrolledNow(enrolled.factor, enrolled.checkpoint))
    } catch {
      switch error {
      case .obstacle(let obstacle): return .denied(.enrollmentRequired(obstacle))
      case .failure(let failure): throw failure
      }
    }
  }

  /// Explains the requirement, and asks whether the user's screen shows a QR code. If there is no
  /// answer at all, the application cannot ask questions.
  private func askAboutBlocks() throws(EnrollmentError) -> Bool {
    let question: StaticString = """

      A second factor is required here, and none is enrolled for you yet. You enrol an
      authenticator app now: have it at hand. An empty answer in place of its code ends
      this, and nothing has changed then.

      Do these look like solid blocks: \u{2588}\u{2580}\u{2584}\u{2588} ? [y/N]\u{20}
      """
    switch application.ask(question.bytes, echo: true) {
    case .none: throw .obstacle(.noConversation)
    case .tooLong: return false
    case .text(let answer):
      // sshd itself answers for a user whom it will deny.
      guard answer.isTypedByUser else { throw .obstacle(.noConversation) }
      return answer.count > 0 && answer.span[0] | 0x20 == UInt8(ascii: "y")
    }
  }

  /// Asks for a code of the new secret, and returns its time step.
  private func confirmation(
    of draft: EnrollmentDraft, hasBlocks: Bool, since start: Int64
  ) throws(EnrollmentError) -> Int64 {
    let first = application.ask(revealing: introduction(of: draft, hasBlocks), echo: true)
    if let step = try verify(first, draft, since: start) { return step }
    for _ in 1..<Self.maximumWrongAnswers {
      let again: StaticString =
        "That is not the code that the app shows for this key now. Code from the app: "
      let next = application.ask(again.bytes, echo: true)
      if let step = try verify(next, draft, since: start) { return step }
    }
    throw .obstacle(.wrongCodes)
  }

  /// Returns the time step of the code that was typed, or nil if the answer is not a valid code.
  private func verify(
    _ reply: consuming Reply, _ draft: EnrollmentDraft, since start: Int64
  ) throws(EnrollmentError) -> Int64? {
    switch consume reply {
    case .none: throw .obstacle(.abandoned)
    case .tooLong: throw .obstacle(.abandoned)
    case .text(let answer):
      guard answer.count > 0 else { throw .obstacle(.abandoned) }
      let now = try now()
      let (elapsed, overflow) = now.subtractingReportingOverflow(start)
      // If the clock was set back, the elapsed time is unknown.
      guard !overflow, elapsed >= 0, elapsed <= Self.longest else { throw .obstacle(.tooLate) }
      return try step(of: answer, draft, now: now)
    }
  }

  private func step(
    of answer: borrowing SecretBytes, _ draft: EnrollmentDraft, now: Int64
  ) throws(EnrollmentError) -> Int64? {
    do throws(EnrollmentDraft.Refusal) {
      return try draft.confirm(
        answer, adjacentIntervals: settings.adjacentIntervals, now: now)
    } catch {
      switch error {
      case .notACode, .wrongCode: return nil
      case .cryptography: throw .failure(.store(.cryptography))
      case .store(let error): throw .failure(.store(error))
      }
    }
  }

  // MARK: Text

  /// Returns the key, the URL, the QR code if it can be shown, and the prompt for the code. The QR
  /// code comes after the key and the URL, so that it stays on the screen.
  private func introduction(of draft: EnrollmentDraft, _ hasBlocks: Bool) -> SecretBytes {
    let url = url(of: draft)
    let picture = if hasBlocks { picture(of: url) } else { SecretBytes(count: 0) }
    let key = draft.withSecret { Base32.encode($0) }
    var text = SecretText(
      capacity: picture.count &+ url.count &+ 2 &* key.count &+ 512)
    text.add(
      picture.count > 0
        ? "\nScan the picture with an authenticator app, or type the key into it.\n\nkey: "
        : "\nType the key into an authenticator app, or open the URL with it.\n\nkey: ")
    text.addInFours(key.span)
    text.add("\nurl: ")
    text.add(url.span)
    text.add("\n\n")
    text.add(picture.span)
    text.add("\nCode from the app: ")
    return text.finish()
  }

  private func url(of draft: EnrollmentDraft) -> SecretBytes {
    let issuer = settings.issuer ?? host.name()
    return draft.withSecret { secret in
      OTPAuthURI.make(
        secret: secret, account: account.name.span, issuer: issuer.span,
        parameters: draft.parameters)
    }
  }

  /// Returns the QR code, or nothing if it cannot be drawn. The user can then type the key instead.
  private func picture(of url: borrowing SecretBytes) -> SecretBytes {
    do throws(QRCodeError) {
      let symbol = try QRSymbol(encoding: url.span, errorCorrection: .low)
      // No colours: the applications between this module and the terminal would garble the control
      // sequences.
      let drawing = TerminalRenderer(ink: .terminalLightOnDark, quietZone: 2)
      guard drawing.size(of: symbol).columns <= Self.maximumColumns else {
        return SecretBytes(count: 0)
      }
      return drawing.draw(symbol)
    } catch {
      return SecretBytes(count: 0)
    }
  }

  /// Shows the recovery codes. The answer does not matter, because the factor is already enrolled.
  private func showRecoveryCodes(_ enrolled: EnrolledInSignIn) {
    let length = RecoveryCode.writtenLength
    let text = enrolled.codes.withSpan { codes in
      var text = SecretText(capacity: 2 &* codes.count &+ 512)
      text.add(
        """

        The app is enrolled. The code that you typed is used up.

        Recovery codes: each signs you in once, when the app is not at hand.


        """)
      for index in codes.indices {
        if index % length == 0 { text.add("  ") }
        text.add(codes[index])
        if index % length == length - 1 { text.add("\n") }
      }
      text.add(
        """

        They are not shown again. Write them down, and keep them where the phone is not.
        Press Enter when you have them:\u{20}
        """)
      return text.finish()
    }
    _ = application.ask(revealing: text, echo: true)
  }

  // MARK: Storage

  /// Enrols the confirmed factor under the user's lock, unless a factor has been enrolled in the
  /// meantime.
  private func commit(
    _ draft: EnrollmentDraft, confirmedAt step: Int64
  ) throws(EnrollmentError) -> EnrolledInSignIn {
    let now = try now()
    let entry = try storing { () throws(FactorStoreError) in
      try store.entry(of: account, creating: true)
    }
    guard entry.record == nil else { throw .obstacle(.enrolledMeanwhile) }
    var record = try storing { () throws(FactorStoreError) in
      try entry.storedRecordOrNew(for: account)
    }
    let factor = try factor(of: draft, at: now, in: record, entry)
    do throws(FactorRecord.ChangeRefusal) {
      try record.add(factor)
    } catch {
      throw .failure(.store(.damaged(.record)))
    }
    var digests: [RecoveryCodeDigest] = []
    let codes = try recoveryCodes(for: record, entry, &digests)
    record.setRecoveryCodes(digests)
    record.note(
      .enrolled, factor.displayName.utf8, about: record.subject(of: factor.id), from: source,
      at: now)
    let attempts = entry.attempts.beginning(record)
    let next = attempts.keeping(record).adding(factor.id, confirmedAt: step)
    let complete = record
    let actor = AuditLogEvent.Actor(
      name: account.name, uid: account.uid, program: service, source: source)
    let checkpoint = try storing { () throws(FactorStoreError) in
      try entry.replace(
        record: complete, attempts: next,
        entering: AuditLogEvent(.enrolled, factor, by: actor, at: now))
    }
    return EnrolledInSignIn(factor, codes: codes, checkpoint)
  }

  private func factor(
    of draft: EnrollmentDraft, at now: Int64, in record: FactorRecord, _ entry: Machine.Store.Entry
  ) throws(EnrollmentError) -> Factor {
    do throws(EnrollmentDraft.Refusal) {
      return try draft.factor(named: try Self.name(), at: now, in: record, sealedBy: entry)
    } catch {
      switch error {
      case .notACode, .wrongCode, .cryptography: throw .failure(.store(.cryptography))
      case .store(let error): throw .failure(.store(error))
      }
    }
  }

  /// Returns the name that `mfa-enroll` also gives to a first factor.
  private static func name() throws(EnrollmentDraft.Refusal) -> DisplayName {
    do throws(DisplayName.Refusal) {
      return try DisplayName(("authenticator" as StaticString).bytes)
    } catch {
      throw .store(.damaged(.record))
    }
  }

  private func recoveryCodes(
    for record: FactorRecord, _ entry: Machine.Store.Entry, _ digests: inout [RecoveryCodeDigest]
  ) throws(EnrollmentError) -> SecretBytes {
    do throws(FactorStoreError) {
      return try RecoveryCodeSet.make(for: record, by: entry, digests: &digests)
    } catch {
      throw .failure(.store(error))
    }
  }

  // MARK: Error conversion

  private func newDraft() throws(EnrollmentError) -> EnrollmentDraft {
    do throws(CryptographyError) {
      return try EnrollmentDraft(.standard)
    } catch {
      throw .failure(.store(.cryptography))
    }
  }

  private func now() throws(EnrollmentError) -> Int64 {
    do throws(SystemError) { return try host.now() } catch { throw .failure(.clock(error)) }
  }

  private func storing<Result>(
    _ body: () throws(FactorStoreError) -> Result
  ) throws(EnrollmentError) -> Result {
    do throws(FactorStoreError) { return try body() } catch { throw .failure(.store(error)) }
  }
}
