import MFAWire
import MFAPAMStack
import MFAStore
import MFAAttempt
import MFAModel
import MFABase

// Sign-ins of users without a factor.
extension SignIn {
  /// Lets a user without a factor continue. With `forward_pass`, the prompt also asks for the
  /// password, so every user is asked, and the whole answer is passed on.
  @inline(never)
  func pass(
    _ reason: SignInResult.PassedReason, _ resolved: Resolved
  ) throws(Pause) -> SignInResult {
    guard resolved.options.asksForPassword else { return .passed(reason) }
    return try askWithoutVerifying(.passed(reason), resolved).result
  }

  /// Returns whether a user without a factor may sign in for now. The `account` line shows the offer and
  /// counts the sign-in, because the stack reaches that line only after the first factor has been proven.
  func mayPutOff(
    _ settings: Settings, _ account: Account, _ store: Machine.Store
  ) throws(Pause) -> Bool {
    switch settings.enrollment {
    case .selfService: return true
    case .required: return false
    case .offered:
      // A user's own process belongs to a session, and the sign-in that started it was counted.
      let counts = settings.offer.signIns != nil && identity.actsAsRoot
      let made = counts ? try postponedSignIns(account, store) : 0
      return settings.offer.allowsPostponing(afterSignIns: made, now: try now())
    }
  }

  /// Returns how many sign-ins the user has made without a factor. Only reads: nothing is created
  /// for a user before the first factor has been proven.
  func postponedSignIns(
    _ account: Account, _ store: Machine.Store
  ) throws(Pause) -> UInt32 {
    do throws(FactorStoreError) {
      return try store.existingEntry(of: account)?.attempts.postponedSignIns ?? 0
    } catch {
      throw .store(error)
    }
  }

  /// Asks for a code although the sign-in will be denied, as if the user had a factor. Neither the
  /// prompt nor the time taken then reveals whether there is a factor.
  @inline(never)
  func askAndDeny(_ result: SignInResult, _ resolved: Resolved) throws(Pause) {
    guard !resolved.options.usesFirstPass else { return }
    _ = try askWithoutVerifying(result, resolved)
  }

  /// Asks for a code, does the work of an attempt if the answer may be one, and passes the answer
  /// on if the next module expects it. The result is always `result`, unless there was no answer or
  /// it was too long.
  ///
  /// - Returns: The result, and whether the answer may be a code of six digits.
  func askWithoutVerifying(
    _ result: SignInResult, _ resolved: Resolved
  ) throws(Pause) -> (result: SignInResult, isCode: Bool) {
    let options = resolved.options
    resolved.foregone = result
    let reply = try ask(
      resolved.question, echo: options.echo, resolved.continuation.asking(.code), about: nil,
      resolved)
    switch consume reply {
    case .absent:
      resolved.isAbandoned = true
      return (.notACode(.noAnswer), false)
    case .tooLong: return (.notACode(.tooLong), false)
    case .text(let answer):
      let codes =
        options.forwardsPass ? TypedCodes(endOf: answer.span) : TypedCodes(whole: answer.span)
      if let store = resolved.store {
        try attemptOnDecoy(codes, like: nil, in: store, resolved)
      }
      return (try forward(answer, nil, after: result, options), codes.code(of: .six) != nil)
    }
  }

  /// Does the work of an attempt if the answer may be a code. The time then reveals neither whether the user
  /// has a factor, nor how long its codes are.
  func attemptOnDecoy(
    _ codes: TypedCodes, like record: FactorRecord?, in store: Machine.Store, _ resolved: Resolved
  ) throws(Pause) {
    do throws(FactorStoreError) {
      try Attempt.makeOnDecoy(codes, like: record, in: store, context(resolved))
    } catch {
      throw .store(error)
    }
  }

  /// Does as many name lookups as a sign-in of a user whose uid has one name.
  @inline(never)
  func imitateOtherNames() throws(Pause) {
    do throws(SystemError) {
      // A lookup by name takes as long as the lookup of an existing uid. The lookup of an unknown
      // uid could keep a directory service busy for minutes.
      _ = try host.account(named: Account.nobody.name)
      for index: Int32 in 1...2 { _ = try host.account(sharingUIDOf: .nobody, at: index) }
    } catch {
      throw .account(error)
    }
  }
}
