import MFAAttempt
import MFABase
import MFAModel
import MFAPAMStack
import MFAStore
import MFAWire

// Lines with the option `program_password`, above those that verify a password and a code.
extension SignIn {
  /// Returns the result of such a line. It decides only about an answer in the form of a program password, which is
  /// neither a password nor a code; the lines that follow decide about all others.
  func programPasswordLine(_ resolved: Resolved) throws(Pause) -> SignInResult {
    try result(resolved) { () throws(Pause) in
      let others = SignInResult.passed(.leftToNextLines)
      resolved.foregone = others
      let reply = try ask(
        resolved.question, echo: resolved.options.echo, resolved.continuation.asking(.code),
        about: nil, resolved)
      guard case .text(let answer) = reply,
        let password = ProgramPassword(answer: answer.span)
      else { return others }
      guard let store = resolved.store else { return .denied(.programPassword(.unknown)) }
      // A user's own process could read what it is to verify.
      let account = resolved.account.flatMap {
        signsIn($0, resolved) && !isOwn($0) ? $0 : nil
      }
      let found: Grant?
      do throws(FactorStoreError) {
        found = try Attempt.programPassword(password, of: account, in: store)
      } catch {
        throw .store(error)
      }
      guard let grant = found, let scope = grant.scope else {
        return .denied(.programPassword(.unknown))
      }
      guard resolved.settings.programPasswords.contains(request.service) else {
        return .denied(.programPassword(.notAccepted))
      }
      guard grant.isGood(at: try now()) else { return .denied(.programPassword(.ended)) }
      // The address that an application without root's privileges reports is its own word.
      let address = identity.actsAsRoot ? try numericAddress() : nil
      guard scope.contains(service: request.service, address: address) else {
        let isService = scope.services.contains(request.service)
        return .denied(.programPassword(isService ? .otherNetwork : .otherService))
      }
      return .allowed(.programPassword(grant))
    }
  }
}
