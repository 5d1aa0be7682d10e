import MFAWire
import MFAAttempt
import MFACrypto
import MFAModel
import MFAMessages
import MFAPAMStack
import MFABase
import MFAStore

// A prepared code for the time in which the store cannot be used, so that an administrator of a single
// remote host gets in. It stands in for the second factor alone: the stack asks for the first factor as
// always.
//
// An attacker who can fill the disk must not get rid of the second factor by that. Therefore this is a
// secret of 80 bits, and not the membership of a group, and its hash is in /etc/mfa. No failure can be
// counted; so many bits need no limit.
//
// MUST 1: nothing is asked or allowed unless the store as a whole cannot be used.
// (`BreakGlassTests.rule`, `BreakGlassTests.onlyWithoutStore`)
// MUST 2: only users whom the file names are asked, and only in the service of root's own process.
// (`BreakGlassTests.others`)
extension SignIn {
  /// Returns the result of asking for the break-glass code if the store cannot be used, or `result`.
  func orBreakGlass(
    _ result: SignInResult, _ resolved: Resolved
  ) throws(Pause) -> SignInResult {
    guard case .denied(.failed(.store(let error))) = result, error.closesStore,
      resolved.state == .enabled, identity.actsAsRoot, let account = resolved.account,
      !resolved.options.usesFirstPass, !resolved.options.forwardsPass,
      let credential = host.breakGlass, credential.names(account.name)
    else { return result }
    let prompt = resolved.text(.breakGlassPrompt).utf8
    resolved.foregone = nil
    let reply = try ask(
      prompt, echo: resolved.options.echo, resolved.continuation.asking(.breakGlass), about: nil,
      resolved)
    switch consume reply {
    case .absent:
      resolved.isAbandoned = true
      return result
    case .tooLong: return .notACode(.tooLong)
    case .text(let answer):
      guard let code = RecoveryCode(answer: answer.span) else {
        return .notACode(.somethingElse)
      }
      guard host.alone({ Self.isCode(code, of: credential) }) else {
        return .denied(.code(.wrong(wait: 0)))
      }
      return .allowed(.breakGlass(error))
    }
  }

  /// Fails if the store can be read and not written, as when the break-glass code was asked for.
  func checkWriting(_ account: Account, _ store: Machine.Store) throws(Pause) {
    do throws(FactorStoreError) {
      try store.deciding { () throws(FactorStoreError) in
        let entry = try store.entry(of: account, creating: false)
        try entry.write(entry.attempts)
        try entry.sync()
      }
    } catch {
      throw .store(error)
    }
  }

  /// Returns whether a code has the hash of a credential.
  private static func isCode(
    _ code: borrowing RecoveryCode, of credential: BreakGlassCredential
  ) -> Bool {
    do throws(SystemError) {
      let hash = try SlowHash.hash(
        code.bytes.span, salt: credential.salt, costLog2: credential.costLog2,
        count: BreakGlassCredential.hashLength)
      return constantTimeEquals(hash.span, credential.hash.span)
    } catch {
      return false
    }
  }
}

extension FactorStoreError {
  /// Whether the store as a whole cannot be used until an administrator repairs it. False for a fault
  /// of one user's files, and for a shortage that passes.
  var closesStore: Bool {
    switch self {
    case .system(.clock, _), .system(.sends, _): false
    case .system(let part, let error):
      error.isReadOnly || error.hasNoSpace || error.isInputOutput
        || part.isShared && (error.isNotFound || error.isForbidden || error.distrust != nil)
    case .damaged(let part), .rolledBack(let part): part.isShared
    case .foreign: true
    case .otherVersion, .otherKey, .belongsToAnother, .busy, .nameTooLong, .engine, .renamed:
      false
    }
  }
}

extension FactorStoreError.Part {
  /// Whether every user needs the part.
  fileprivate var isShared: Bool {
    switch self {
    case .directory, .factors, .key, .auditLog, .auditLogHead, .auditLogIndex, .identity, .uids:
      true
    case .attempts, .record, .clock, .sends: false
    }
  }
}
