import MFAEnrollMessages
import MFABase
import MultiFactor

/// The verification that the user owns the account. At a terminal, the user has several attempts.
struct Reauthentication: Sendable {
  private let interface: UserInterface
  private let withTicket: Bool
  private let opening: EnrollMessage?
  private let ending: EnrollMessage?

  /// How many attempts a user at a terminal has; a program has one.
  private static let tries = 3

  /// An administrator's ticket replaces the password if `withTicket` is true. `opening` says what
  /// the user should have ready, and `ending` what did not happen if the user ends the input.
  init(
    of interface: UserInterface, withTicket: Bool = false, opening: EnrollMessage? = nil,
    ending: EnrollMessage? = nil
  ) {
    self.interface = interface
    self.withTicket = withTicket
    self.opening = opening
    self.ending = ending
  }

  /// A record of whether the user declined to answer.
  private actor Refusal {
    private(set) var happened = false
    func happen() { happened = true }
  }

  /// Starts a session with the helper. Says first whose account it is for.
  func session(with multiFactor: MultiFactor) async throws(MultiFactorError) -> MultiFactorSession {
    interface.tell(
      .account(
        user: try await multiFactor.userName, host: CallingProcess.hostName))
    if let opening { interface.tell(opening) }
    let refusal = Refusal()
    var triesLeft = interface.asksAgain ? Self.tries : 1
    let factors =
      interface.isJSON ? try await multiFactor.enrolledFactors.map { FactorEntry($0) } : []
    while true {
      do throws(MultiFactorError) {
        let answer: MultiFactor.Reauthenticator = { [interface] prompt in
          guard let answer = interface.answer(prompt, factors: factors) else {
            await refusal.happen()
            return nil
          }
          return answer
        }
        return withTicket
          ? try await multiFactor.ticketSession(reauthenticate: answer)
          : try await multiFactor.session(reauthenticate: answer)
      } catch {
        triesLeft -= 1
        if await refusal.happened {
          if interface.isAtTerminal, let ending { interface.tell(ending) }
          throw error
        }
        guard triesLeft > 0, error.mayBeTriedAgain else { throw error }
        interface.tell(Failure(error))
      }
    }
  }
}

extension MultiFactorError {
  /// Whether another answer of the user can prove the account at once.
  fileprivate var mayBeTriedAgain: Bool {
    switch self {
    case .tooManyPasswords, .accountRefused: false
    default: ExitStatus(self) != .failed
    }
  }
}
