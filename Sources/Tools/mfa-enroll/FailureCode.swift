import MFAEnrollMessages
import MultiFactor

// The codes of failures in JSON: those of `MultiFactorError.Code`, and a few for what only this program does.

extension Failure {
  /// The code of the failure.
  var code: String {
    switch reason {
    case .program(let failure): failure.code
    case .library(let error): error.code.rawValue
    }
  }

  /// The time to wait before the next attempt, or nil.
  var seconds: Int? {
    guard case .library(let error) = reason else { return nil }
    return switch error {
    case .codeNotYetAccepted(let seconds), .tooManyAttempts(let seconds),
      .tooManyChanges(let seconds), .quotaExceeded(let seconds), .phoneNotUsableYet(let seconds),
      .tooManyPasswords(let seconds):
      seconds
    default: nil
    }
  }
}

extension EnrollFailure {
  fileprivate var code: String {
    switch self {
    case .noCode, .nothingAdded, .nothingRemoved: "cancelled"
    case .unknownAccount: "accountNotFound"
    case .importRefused: "importRefused"
    case .fileNotOpened, .notAFile, .writableByOthers, .fileNotRead, .fileNotPrivate, .fileExists,
      .folderMissing, .noPermission, .fileNotCreated, .fileNotWritten, .noHomeFolder,
      .recoveryCodesNotSaved, .recoveryCodesNotPrinted, .noPrinter:
      "fileUnavailable"
    case .noPicture: "pictureUnavailable"
    case .otherAccount, .noOfflineCodes: MultiFactorError.Code.notPermitted.rawValue
    case .noSuchDevice, .noDevice: MultiFactorError.Code.factorNotFound.rawValue
    case .ambiguousID, .severalDevices, .accountNotNamed, .usage, .unknownCommand, .noTerminal:
      MultiFactorError.Code.invalidArgument.rawValue
    case .processNotProtected: MultiFactorError.Code.unsuitableProcess.rawValue
    case .accountNotTaken: MultiFactorError.Code.internalError.rawValue
    case .answerNotUnderstood: MultiFactorError.Code.protocolError.rawValue
    }
  }
}
