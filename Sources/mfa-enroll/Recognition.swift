import MultiFactor
import Secrets

/// The proof that the account is the person's, with as many tries as a sign-in gives.
struct Recognition: Sendable {
  private let person: Person
  private let withTicket: Bool

  /// How often a person at a terminal may try; a script tries once.
  private static let tries = 3

  /// A ticket of an administrator's may prove the account in the place of the password.
  init(of person: Person, withTicket: Bool = false) {
    self.person = person
    self.withTicket = withTicket
  }

  /// Whether the person would rather not answer.
  private actor Refusal {
    private(set) var happened = false
    func happen() { happened = true }
  }

  /// Starts a session with the helper.
  func session(with multiFactor: MultiFactor) async throws(MultiFactorError) -> MultiFactorSession {
    let refusal = Refusal()
    var triesLeft = person.isAtTerminal ? Self.tries : 1
    while true {
      do throws(MultiFactorError) {
        let answer: MultiFactor.Reauthenticator = { [person] prompt in
          guard let answer = await person.answer(prompt) else {
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
        guard triesLeft > 0, ExitStatus(error) != .failed, await !refusal.happened else {
          throw error
        }
        person.tell("\(error), try again")
      }
    }
  }
}
