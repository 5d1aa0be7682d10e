/// Why an operation on a user's factors failed, and what the user can do next.
package enum FailureMessage: Equatable, Sendable {
  case notPermitted
  case requiresRecentLogin
  case wrongPassword
  case sessionExpired
  case wrongCode
  case usedCode
  case codeNotYetAccepted(seconds: Int64)
  /// The code is wrong now. It was right `seconds` ago, or will be in `seconds`.
  case codeOfAnotherTime(isAhead: Bool, seconds: Int64)
  case notACode
  case throttled(seconds: Int64)
  case locked
  case nameTaken
  case tooManyDevices
  case unsupportedName
  case noSuchDevice
  case unsupportedValue
  case storeUnavailable
  case configurationInvalid
  case switchedOff
  case internalError
  case lastDeviceRequired
  case invalidTicket
  case shortKey
  case codesNotConsecutive
  case codeRequired
  case alreadyImported
  case tooManyChanges(minutes: Int64)
  /// The helper refuses an attribute of this process, such as `RLIMIT_FSIZE`.
  case unsuitableProcess(attribute: [UInt8])
  case tooManyHelpers
  /// The helper at `path` could not be started.
  case helperUnavailable(path: [UInt8], reason: [UInt8])
  case helperEnded
  case protocolError
  case operationInProgress
  case signedOut
  /// A sign-in needs a code.
  case signInCodeRequired
  /// No app on this desktop got the setup link of a key.
  case noAuthenticatorApp(AuthenticatorAppObstacle)
  case phonesNotSupported
  case totpNotSupported
  case numberWithoutPlus
  case numberWithOtherCharacters
  case numberOfNoCountry
  case numberTooShort
  case numberTooLong
  case phoneRegionNotAllowed
  case tooManyMessages(seconds: Int64)
  case messageNotSent
  case phoneAlreadyAdded
  case phoneNotUsableYet(seconds: Int64)
  case tooManyPasswords(seconds: Int64)
  case accountLocked
  case accountExpired
  case passwordExpired
  case noSignIns
  case accountNotAllowed
  case programPasswordsNotAccepted
  case programPasswordExists
  case tooManyProgramPasswords
  case noSuchProgramPassword
  /// A code belongs to a request for another phone, or to one that has ended.
  case otherVerification
}

/// What happened, and what to do next: one or two sentences each.
public struct FailureText: Equatable, Sendable {
  /// What happened.
  public let description: MessageText
  /// What to do next.
  public let hint: MessageText

  /// Creates a text.
  public init(_ description: MessageText, hint: MessageText) {
    self.description = description
    self.hint = hint
  }
}
