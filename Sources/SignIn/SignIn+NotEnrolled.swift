import FactorStore
import Factors
import Policy
import Secrets
import System

// Those who have no factor.
extension SignIn {
  /// Under `self-service` somebody without a factor is asked nothing. With `forward_pass` the one
  /// question is the password's too, so it is asked whoever it is, and all of the answer handed on.
  func notEnrolled(_ options: ModuleOptions) throws(Outcome.Failure) -> Outcome {
    try passing(.notEnrolled, options)
  }

  /// Lets somebody without a factor go on, with what was typed where that is to be forwarded.
  func passing(
    _ outcome: Outcome, _ options: ModuleOptions
  ) throws(Outcome.Failure) -> Outcome {
    guard options.forwardsPass, !options.usesFirstPass else { return outcome }
    switch application.ask(options.question, echo: options.echo) {
    case .none: return .notACode(.none)
    case .tooLong: return .notACode(.tooLong)
    case .text(let answer):
      guard answer.count == 0 || application.forward(answer.span) else { throw .forwarding }
      return outcome
    }
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

  /// Somebody who will not be let in is asked as if they had a factor, so that the question tells
  /// nobody whether there is such a user.
  func askInVain(_ options: ModuleOptions) {
    guard !options.usesFirstPass else { return }
    _ = application.ask(options.question, echo: options.echo)
  }
}
