import MFAModel

/// Why the helper did not carry out a request.
package enum HelperFailure: Error, Equatable, Sendable {
  /// The account or the policy does not allow the request.
  case notPermitted
  /// The request needs a session first.
  case requiresRecentLogin
  /// The password, or another answer that PAM asked for, was wrong.
  case reauthenticationFailed
  /// The session, or the secret generated in it, has expired.
  case sessionExpired
  /// The code is wrong: it does not match the secret at this time.
  case invalidVerificationCode
  /// The code is correct but has been used before.
  case codeAlreadyUsed
  /// The code is wrong, but right this many seconds from now (negative: ago): a clock is wrong.
  case codeOfAnotherTime(secondsAhead: Int32)
  /// The answer cannot be a code; it was not counted as a failed attempt.
  case notACode
  /// There were too many failed attempts: no code is verified for this many seconds.
  case tooManyAttempts(seconds: UInt32)
  /// The user's factors are locked until an administrator unlocks them.
  case factorsLocked
  /// Another factor of the user has this name.
  case secondFactorAlreadyEnrolled
  /// The user has the maximum number of factors.
  case maximumSecondFactorCountExceeded
  /// A factor cannot have this name.
  case unsupportedDisplayName
  /// The user has no such factor.
  case factorNotFound
  /// A value is well formed but not supported.
  case invalidArgument
  /// The factors cannot be read or written.
  case storeUnavailable
  /// The configuration contains an error.
  case configurationInvalid
  /// The configuration turns second factors off.
  case multiFactorDisabled
  /// The message was malformed or out of turn.
  case protocolError
  /// Any other failure.
  case internalError
  /// The factor is the last one, and policy requires one.
  case lastFactorRequired
  /// The ticket belongs to a different account, was used, or has expired.
  case ticketInvalid
  /// The key is shorter than the host accepts.
  case secretTooShort
  /// The two codes are not consecutive.
  case codesNotConsecutive
  /// The caller has a factor but did not present a code from it.
  case secondFactorRequired
  /// The user already has a factor with this key.
  case alreadyImported
  /// The user made the maximum number of changes in an hour. The next change is allowed in this
  /// many seconds.
  case tooManyChanges(seconds: UInt32)
  /// The helper refuses to run in the process that the client started it in.
  case unsuitableProcess(ProcessFault)
  /// Policy forbids phones, or the host has no gateway.
  case phonesNotSupported
  /// The text is not a phone number in international form.
  case invalidPhoneNumber(PhoneNumber.Refusal)
  /// The host sends no codes to numbers of this country.
  case phoneRegionNotAllowed
  /// Too many codes were sent. The next one can be requested in this many seconds.
  case tooManyMessages(seconds: UInt32)
  /// The host could not send the code.
  case messageNotSent
  /// The user has already enrolled this phone number.
  case phoneAlreadyEnrolled
  /// The phone was enrolled in place of another one. Codes are sent to it in this many seconds.
  case phoneNotUsableYet(seconds: UInt32)
  /// Policy forbids authenticator apps.
  case totpNotSupported
  /// There were too many wrong passwords: no password is verified for this many seconds.
  case tooManyPasswords(seconds: UInt32)
  /// The code is correct, but the factor's next code is accepted only in this many seconds.
  case codeNotYetAccepted(seconds: UInt32)
  /// The account may not be used now.
  case accountRefused(AccountRefusal)
  /// No password for a program can be made or removed as the request asks.
  case programPasswordRefused(ProgramPasswordRefusal)

  mutating func fields(_ coder: inout Coder) throws(PacketError) {
    var (number, seconds) = (number, seconds)
    try coder.number(&number)
    try coder.number(&seconds)
    guard let failure = HelperFailure(number: number, seconds: seconds) else { throw .malformed }
    self = failure
  }

  /// The number in a message.
  private var number: UInt8 {
    switch self {
    case .notPermitted: 1
    case .requiresRecentLogin: 2
    case .reauthenticationFailed: 3
    case .sessionExpired: 4
    case .invalidVerificationCode: 5
    case .codeAlreadyUsed: 6
    case .notACode: 7
    case .tooManyAttempts: 8
    case .factorsLocked: 9
    case .secondFactorAlreadyEnrolled: 10
    case .maximumSecondFactorCountExceeded: 11
    case .unsupportedDisplayName: 12
    case .factorNotFound: 13
    case .invalidArgument: 14
    case .storeUnavailable: 15
    case .configurationInvalid: 16
    case .multiFactorDisabled: 17
    case .protocolError: 18
    case .internalError: 19
    case .lastFactorRequired: 20
    case .ticketInvalid: 21
    case .secretTooShort: 22
    case .codesNotConsecutive: 23
    case .secondFactorRequired: 24
    case .alreadyImported: 25
    case .unsuitableProcess: 26
    case .tooManyChanges: 27
    case .phonesNotSupported: 28
    case .invalidPhoneNumber: 29
    case .phoneRegionNotAllowed: 30
    case .tooManyMessages: 31
    case .messageNotSent: 32
    case .phoneAlreadyEnrolled: 33
    case .phoneNotUsableYet: 34
    case .totpNotSupported: 35
    case .tooManyPasswords: 36
    case .accountRefused: 37
    case .codeNotYetAccepted: 38
    case .codeOfAnotherTime: 39
    case .programPasswordRefused: 40
    }
  }

  /// The detail in a message: the seconds to wait or ahead, the number of the process fault, or the number of
  /// what is wrong with an account, a phone number or a password for a program; 0 for every other failure.
  private var seconds: UInt32 {
    switch self {
    case .tooManyAttempts(let seconds), .tooManyChanges(let seconds),
      .tooManyMessages(let seconds), .phoneNotUsableYet(let seconds),
      .tooManyPasswords(let seconds), .codeNotYetAccepted(let seconds):
      seconds
    case .codeOfAnotherTime(let secondsAhead): UInt32(bitPattern: secondsAhead)
    case .accountRefused(let refusal): UInt32(refusal.rawValue)
    case .programPasswordRefused(let refusal): UInt32(refusal.rawValue)
    case .invalidPhoneNumber(let refusal): refusal.messageNumber
    case .unsuitableProcess(let fault): UInt32(fault.number)
    case .notPermitted, .requiresRecentLogin, .reauthenticationFailed, .sessionExpired,
      .invalidVerificationCode, .codeAlreadyUsed, .notACode, .factorsLocked,
      .secondFactorAlreadyEnrolled, .maximumSecondFactorCountExceeded, .unsupportedDisplayName,
      .factorNotFound, .invalidArgument, .storeUnavailable, .configurationInvalid,
      .multiFactorDisabled, .protocolError, .internalError, .lastFactorRequired, .ticketInvalid,
      .secretTooShort, .codesNotConsecutive, .secondFactorRequired, .alreadyImported,
      .phonesNotSupported, .phoneRegionNotAllowed, .messageNotSent, .phoneAlreadyEnrolled,
      .totpNotSupported:
      0
    }
  }

  /// Creates a failure from a message. Returns nil for an unknown number, and for a detail that the
  /// failure does not have.
  private init?(number: UInt8, seconds: UInt32) {
    switch number {
    case 1: self = .notPermitted
    case 2: self = .requiresRecentLogin
    case 3: self = .reauthenticationFailed
    case 4: self = .sessionExpired
    case 5: self = .invalidVerificationCode
    case 6: self = .codeAlreadyUsed
    case 7: self = .notACode
    case 8: self = .tooManyAttempts(seconds: seconds)
    case 9: self = .factorsLocked
    case 10: self = .secondFactorAlreadyEnrolled
    case 11: self = .maximumSecondFactorCountExceeded
    case 12: self = .unsupportedDisplayName
    case 13: self = .factorNotFound
    case 14: self = .invalidArgument
    case 15: self = .storeUnavailable
    case 16: self = .configurationInvalid
    case 17: self = .multiFactorDisabled
    case 18: self = .protocolError
    case 19: self = .internalError
    case 20: self = .lastFactorRequired
    case 21: self = .ticketInvalid
    case 22: self = .secretTooShort
    case 23: self = .codesNotConsecutive
    case 24: self = .secondFactorRequired
    case 25: self = .alreadyImported
    case 26: self = .unsuitableProcess(ProcessFault(number: UInt8(truncatingIfNeeded: seconds)))
    case 27: self = .tooManyChanges(seconds: seconds)
    case 28: self = .phonesNotSupported
    case 29:
      guard let refusal = PhoneNumber.Refusal(messageNumber: seconds) else { return nil }
      self = .invalidPhoneNumber(refusal)
    case 30: self = .phoneRegionNotAllowed
    case 31: self = .tooManyMessages(seconds: seconds)
    case 32: self = .messageNotSent
    case 33: self = .phoneAlreadyEnrolled
    case 34: self = .phoneNotUsableYet(seconds: seconds)
    case 35: self = .totpNotSupported
    case 36: self = .tooManyPasswords(seconds: seconds)
    case 37:
      guard let refusal = AccountRefusal(rawValue: UInt8(truncatingIfNeeded: seconds)) else {
        return nil
      }
      self = .accountRefused(refusal)
    case 38: self = .codeNotYetAccepted(seconds: seconds)
    case 39: self = .codeOfAnotherTime(secondsAhead: Int32(bitPattern: seconds))
    case 40:
      guard let refusal = ProgramPasswordRefusal(rawValue: UInt8(truncatingIfNeeded: seconds))
      else {
        return nil
      }
      self = .programPasswordRefused(refusal)
    default: return nil
    }
    guard self.seconds == seconds else { return nil }
  }
}

extension PhoneNumber.Refusal {
  /// The number in a message.
  fileprivate var messageNumber: UInt32 {
    switch self {
    case .noPlus: 1
    case .notDigits: 2
    case .noSuchCallingCode: 3
    case .tooShort: 4
    case .tooLong: 5
    }
  }

  fileprivate init?(messageNumber: UInt32) {
    switch messageNumber {
    case 1: self = .noPlus
    case 2: self = .notDigits
    case 3: self = .noSuchCallingCode
    case 4: self = .tooShort
    case 5: self = .tooLong
    default: return nil
    }
  }
}

/// The attribute of the helper's process, inherited from its client, that makes the helper refuse
/// to run.
package struct ProcessFault: Equatable, Sendable {
  /// The number in a message. A client must accept numbers that it does not know.
  package let number: UInt8

  /// Creates a fault from its number in a message.
  package init(number: UInt8) { self.number = number }

  /// A resource limit is too low: its number, 0 to 15 (getrlimit(2)).
  package static func resourceLimit(_ number: UInt8) -> ProcessFault {
    ProcessFault(number: number & 15)
  }

  /// The niceness is above 0 and cannot be lowered.
  package static var niceness: ProcessFault { ProcessFault(number: 32) }

  /// The scheduling policy is SCHED_IDLE and cannot be changed.
  package static var schedulingPolicy: ProcessFault { ProcessFault(number: 33) }

  /// The caller runs as many helpers as one user may run at once.
  package static var tooManyHelpers: ProcessFault { ProcessFault(number: 34) }
}

/// Why an account may not be used, although the password may be right.
package enum AccountRefusal: UInt8, CaseIterable, Equatable, Sendable {
  /// pam_faillock has locked the account after too many wrong passwords.
  case locked = 1
  /// The account has expired.
  case expired = 2
  /// The password has expired.
  case passwordExpired = 3
  /// Only root may sign in to this host now (nologin(5)).
  case noSignIns = 4
  /// PAM refuses the account for another reason.
  case notAllowed = 5
}

/// Why a password for a program cannot be made or removed.
package enum ProgramPasswordRefusal: UInt8, CaseIterable, Equatable, Sendable {
  /// Policy accepts no such password in a service that was named, or in no service.
  case notAccepted = 1
  /// Another one has this name.
  case nameTaken = 2
  /// The user has `FactorRecord.maximumProgramPasswords`.
  case tooMany = 3
  /// The user has no such password.
  case notFound = 4
}

/// What became of a proof of an account.
package enum ProofResult: Equatable, Sendable {
  case proven
  /// The password, or another answer that PAM asked for, was wrong.
  case wrong
  /// The user gave no answer, so that nothing was verified.
  case noAnswer
  /// The account may not be used.
  case refused(AccountRefusal)

  /// The number in a message to the resident service.
  package var number: UInt8 {
    switch self {
    case .wrong: 0
    case .proven: 1
    case .noAnswer: 2
    case .refused(let refusal): 16 &+ refusal.rawValue
    }
  }

  /// Creates the result from the number in a message. Returns nil for any other number.
  package init?(number: UInt8) {
    switch number {
    case 0: self = .wrong
    case 1: self = .proven
    case 2: self = .noAnswer
    case 16...:
      guard let refusal = AccountRefusal(rawValue: number &- 16) else { return nil }
      self = .refused(refusal)
    default: return nil
    }
  }
}
