import FactorStore
import Factors
import OneTimePassword
import Policy
import Secrets
import System

// Those who have no factor.
extension SignIn {
  /// Lets a user without a factor go on. With `forward_pass` the question is the password's too, so
  /// that everybody is asked it, and all of the answer is handed on.
  @inline(never)
  func passing(
    _ outcome: Outcome, _ options: ModuleOptions, _ settings: Settings, _ store: Machine.Store?
  ) throws(Outcome.Failure) -> Outcome {
    guard options.asksForPassword else { return outcome }
    return try askAnyway(outcome, options, settings, store).outcome
  }

  /// Whether somebody without a factor may sign in for now. The `account` line counts and tells: it
  /// is reached only by who has proven the first factor.
  func mayPutOff(
    _ settings: Settings, _ account: Account, _ store: Machine.Store
  ) throws(Outcome.Failure) -> Bool {
    switch settings.enrollment {
    case .selfService: return true
    case .required: return false
    case .offered:
      let made = settings.offer.signIns == nil ? 0 : try signInsPutOff(account, store)
      return settings.offer.allowsPuttingOff(afterSignIns: made, now: try now())
    }
  }

  /// Looks only: before the first factor is proven nothing is made for anybody.
  func signInsPutOff(
    _ account: Account, _ store: Machine.Store
  ) throws(Outcome.Failure) -> UInt32 {
    do throws(FactorStoreError) {
      return try store.existingEntry(of: account)?.attempts.signInsPutOff ?? 0
    } catch {
      throw .store(error)
    }
  }

  /// Counts a sign-in of somebody who was offered a factor; what is left of the offer, or nil when it
  /// is over.
  func putOff(
    _ offer: Settings.Offer, _ account: Account, _ store: Machine.Store
  ) throws(Outcome.Failure) -> Outcome? {
    let now = try now()
    guard let signIns = offer.signIns else {
      guard offer.allowsPuttingOff(afterSignIns: 0, now: now) else { return nil }
      return .offered(Outcome.Offer(signInsLeft: nil, lastDay: offer.lastDay))
    }
    do throws(FactorStoreError) {
      let entry = try store.entry(of: account, creating: true)
      guard entry.record == nil else { return .enrolled }
      let state = entry.attempts.puttingOff()
      guard offer.allowsPuttingOff(afterSignIns: entry.attempts.signInsPutOff, now: now) else {
        return nil
      }
      try entry.write(state)
      try entry.sync()
      let left = Int64(signIns) - Int64(state.signInsPutOff)
      return .offered(Outcome.Offer(signInsLeft: max(left, 0), lastDay: offer.lastDay))
    } catch {
      throw .store(error)
    }
  }

  /// Asks a user who will not be let in as if there were a factor, so that neither the question nor
  /// the time that it takes tells whether there is one.
  @inline(never)
  func askInVain(
    _ options: ModuleOptions, _ settings: Settings, _ store: Machine.Store?
  ) throws(Outcome.Failure) {
    guard !options.usesFirstPass else { return }
    _ = try askAnyway(.unknownUser, options, settings, store)
  }

  /// Asks, does the work of an attempt where the answer may be a code, and hands the answer on where
  /// the next module wants it. Whatever was typed, `outcome` is what comes of it.
  ///
  /// - Returns: the outcome, and whether the answer may be a code.
  func askAnyway(
    _ outcome: Outcome, _ options: ModuleOptions, _ settings: Settings, _ store: Machine.Store?
  ) throws(Outcome.Failure) -> (outcome: Outcome, isCode: Bool) {
    switch application.ask(options.question, echo: options.echo) {
    case .none: return (.notACode(.none), false)
    case .tooLong: return (.notACode(.tooLong), false)
    case .text(let answer):
      let codes =
        options.forwardsPass ? TypedCodes(endOf: answer.span) : TypedCodes(whole: answer.span)
      let code = codes.code(of: .six)
      if let store, let code {
        let now = try now()
        do throws(FactorStoreError) {
          try store.imitateAttempt(
            code, now: now, adjacentIntervals: settings.adjacentIntervals)
        } catch {
          throw .store(error)
        }
      }
      return (try forward(answer, nil, after: outcome, options), code != nil)
    }
  }

  /// An account that nobody has, for a name cannot begin with a hyphen.
  static var nobody: Account { Account(name: [UInt8(ascii: "-")], uid: .max) }

  /// Looks names up as for a user whose uid has one name.
  @inline(never)
  func imitateOtherNames() throws(Outcome.Failure) {
    do throws(SystemError) {
      // As long as the name of a uid takes: a directory service might be asked for a uid for minutes.
      _ = try host.account(named: Self.nobody.name)
      for index: Int32 in 1...2 { _ = try host.account(sharingUIDOf: Self.nobody, at: index) }
    } catch {
      throw .account(error)
    }
  }
}
