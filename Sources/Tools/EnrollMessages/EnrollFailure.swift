import MFAMessages

/// Why mfa-enroll did not do what the user requested, if the reason is not one of the helper's
/// (`FailureMessage`).
package enum EnrollFailure: Equatable, Sendable {
  // MARK: The start

  /// Standard input is not a terminal, and no option says that a program answers.
  case noTerminal
  /// Another account was named by a user other than root.
  case otherAccount(name: String)
  case unknownAccount(name: String)
  /// mfa-enroll was started with sudo by a program, which cannot be asked for the account.
  case accountNotNamed(user: String)
  case accountNotTaken(name: String)
  case processNotProtected
  /// A command line was not understood. `command` is what was run, without options.
  case usage(UsageProblem, command: String)
  /// There is no such command. The user may have meant another.
  case unknownCommand(String, meant: String?)

  // MARK: Answers

  /// A program or a user that tests a code gave none.
  case noCode
  /// The input of a user who adds a device ended.
  case nothingAdded
  case nothingRemoved
  /// A program sent a line that is no answer to what it was asked for.
  case answerNotUnderstood(need: String)

  // MARK: Devices

  case noSuchDevice(name: String)
  case ambiguousID(String)
  case noDevice
  case severalDevices

  // MARK: Recovery codes

  /// The codes are valid and were shown, and could not be saved.
  case recoveryCodesNotSaved(path: String)
  /// The codes are valid and were shown, and could not be printed.
  case recoveryCodesNotPrinted
  case noPrinter
  /// No such group of hosts accepts offline recovery codes of the user.
  case noOfflineCodes

  // MARK: Files

  case noHomeFolder
  /// A file that should be imported could not be opened, for a reason in the system's words.
  case fileNotOpened(path: String, reason: String)
  case notAFile(path: String)
  case writableByOthers(path: String)
  case fileNotRead(path: String)
  case importRefused(reason: String)
  /// A new file would not belong to the user alone.
  case fileNotPrivate(path: String)
  case fileExists(path: String)
  case folderMissing(path: String)
  case noPermission(path: String)
  case fileNotCreated(path: String, reason: String)
  /// A new file could not be written, and nothing was added.
  case fileNotWritten(path: String, reason: String)
  case noPicture(PictureObstacle)
}

/// What is wrong with a command line.
package enum UsageProblem: Equatable, Sendable {
  /// Another problem than those below.
  case notUnderstood
  case unknownOption(String)
  case valueMissing(option: String)
  case valueInvalid(option: String, value: String)
  case valueRange(option: String, least: Int, most: Int)
  case argumentMissing(String)
  case argumentUnexpected(String)
  case optionRequires(String, String)
  case optionsExclude(String, String)
  case nameUnsupported
}
