import ArgumentParser
import MFABase
import MFAEnrollMessages
import MFAMessages
import MFAModel
import MultiFactor

/// The entry point: runs the command, and reports failures in this program's format.
@main
enum EnrollMain {
  /// Runs the command in a detached task on a thread of its own, while the main thread only handles
  /// signals.
  static func main() {
    guard MultiFactor.protectProcess() else { end(Failure(.processNotProtected)) }
    TerminalGuard.prepare()
    Task.detached(executorPreference: CommandExecutor()) { await run() }
    TerminalGuard.wait()
  }

  private static func run() async -> Never {
    let arguments = Array(CommandLine.arguments.dropFirst())
    do {
      var command = try MFAEnroll.parseAsRoot(CommandLineArguments.ordered(arguments))
      if let command = command as? any EnrollCommand {
        if command.options.json { ProgramConversation.begin() }
        try command.check()
        try AccountSelection.select(for: command)
      }
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
      MFAEnroll.exit()
    } catch let failure as Failure {
      end(failure)
    } catch let error as MultiFactorError {
      end(Failure(error))
    } catch  where MFAEnroll.exitCode(for: error) == .success {
      // Not a failure: the user asked for help or for the version.
      HelpText.print(MFAEnroll.fullMessage(for: error))
      MFAEnroll.exit()
    } catch {
      if ProgramConversation.isRequested { ProgramConversation.begin() }
      end(CommandLineArguments.failure(for: arguments, MFAEnroll.message(for: error)))
    }
  }

  private static func end(_ failure: Failure) -> Never {
    let interface = UserInterface.withoutQuestions
    if ProgramConversation.isRequested {
      ProgramConversation.fail(failure, in: interface.language)
    } else {
      interface.tell(failure.report(in: interface.language))
    }
    MFAEnroll.exit(withError: ExitCode(failure.status.rawValue))
  }
}

/// The command and its subcommands.
struct MFAEnroll: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mfa-enroll",
    abstract: "Protect your account with codes from an authenticator app.",
    discussion: """
      When you have added a device, services that ask for a second factor ask for a code from it \
      when you sign in.

      Exit status: 0 success; 1 failure; 2 you did not prove that the account is yours; 3 the code \
      was wrong or has been used; 64 the command was not understood.
      """,
    version: "mfa-enroll \(Release.version)",
    subcommands: [
      Enroll.self, EnrollPhone.self, Replace.self, List.self, Status.self, Notices.self,
      Rename.self, Unenroll.self, Test.self, RecoveryCodesCommand.self,
      OfflineCodesCommand.self, ProgramPasswordCommand.self, Resync.self, ImportFactorCommand.self,
      Forget.self,
    ],
    defaultSubcommand: Enroll.self)

  /// The names of all commands, and their aliases.
  static var commandNames: [String] {
    configuration.subcommands.flatMap { command in
      [command._commandName] + command.configuration.aliases
    }
  }
}

/// The options that all commands have.
struct CommonOptions: ParsableArguments {
  @Option(help: "The account. Only root can name another account than its own.")
  var user: String?

  @Flag(help: "Read the answers from standard input. For programs without a terminal.")
  var stdin = false

  @Flag(help: "Converse in JSON on standard input and output. For programs.")
  var json = false
}

/// A command of mfa-enroll.
protocol EnrollCommand: AsyncParsableCommand {
  /// The options that all commands have.
  var options: CommonOptions { get }
  /// Whether the command may ask questions.
  var asks: Bool { get }

  /// Refuses options that do not go together, before the user is asked anything.
  func check() throws(Failure)

  /// Returns what shows the user the texts of the host.
  func listener(_ interface: UserInterface) -> @Sendable (String) -> Void

  /// Carries out the command in a conversation with the helper, which is closed afterwards.
  func carryOut(_ multiFactor: MultiFactor, _ interface: UserInterface) async throws
}

extension EnrollCommand {
  /// Whether a program started the command.
  var isForProgram: Bool { options.json || options.stdin }
  var asks: Bool { true }

  func check() throws(Failure) {}

  /// Returns the failure of a command line with this problem.
  func failure(_ problem: UsageProblem) -> Failure {
    Failure(.usage(problem, command: "mfa-enroll \(Self._commandName)"), status: .usage)
  }

  /// Refuses an unsupported name.
  func check(name: String?) throws(Failure) {
    guard name.map(MultiFactor.isSupported(displayName:)) ?? true else {
      throw failure(.nameUnsupported)
    }
  }

  func listener(_ interface: UserInterface) -> @Sendable (String) -> Void {
    interface.tell(host:)
  }

  func run() async throws {
    let interface = asks || options.json ? try UserInterface(for: self) : .withoutQuestions
    let multiFactor = MultiFactor(language: interface.language, tell: listener(interface))
    try await carryOut(multiFactor, interface)
    await multiFactor.close()
  }
}

/// The format in which a key is written for users who type it.
enum Grouping {
  /// Returns the key with a space after every four characters, except at the end.
  static func inFours(_ key: borrowing SecretBytes) -> SecretBytes {
    let key = key.span
    var text = SecretBytes(count: key.count + max(0, (key.count - 1) / 4))
    text.withMutableSpan { text in
      for index in key.indices {
        let position = index + index / 4
        if index > 0 && index % 4 == 0 { text[position - 1] = UInt8(ascii: " ") }
        text[position] = key[index]
      }
    }
    return text
  }
}

/// The program's exit status. Documented in mfa-enroll(1).
enum ExitStatus: Int32 {
  case failed = 1
  /// The user could not be verified as the owner of the account.
  case notAuthenticated = 2
  /// The code was wrong, already used or not yet accepted.
  case wrongCode = 3
  /// The command was not understood (EX_USAGE).
  case usage = 64

  init(_ error: MultiFactorError) {
    switch error {
    case .reauthenticationFailed, .requiresRecentLogin, .ticketInvalid, .secondFactorRequired,
      .sessionRequiresSecondFactor, .userTokenExpired, .tooManyPasswords, .accountRefused:
      self = .notAuthenticated
    case .invalidVerificationCode, .codeAlreadyUsed, .codeNotYetAccepted, .codeOfAnotherTime,
      .notACode, .codesNotConsecutive:
      self = .wrongCode
    case .notPermitted, .sessionExpired, .tooManyAttempts, .factorsLocked,
      .secondFactorAlreadyEnrolled, .maximumSecondFactorCountExceeded, .unsupportedDisplayName,
      .factorNotFound, .invalidArgument, .storeUnavailable, .configurationInvalid,
      .multiFactorDisabled, .internalError, .helperUnavailable, .helperEnded, .protocolError,
      .operationInProgress, .lastFactorRequired, .secretTooShort, .alreadyImported,
      .unsuitableProcess, .tooManyHelpers, .tooManyChanges, .otpAppUnavailable,
      .phonesNotSupported, .totpNotSupported, .invalidPhoneNumber, .phoneRegionNotAllowed,
      .quotaExceeded, .messageNotSent, .phoneNumberAlreadyEnrolled, .phoneNotUsableYet,
      .invalidVerificationID, .programPasswordRefused:
      self = .failed
    }
  }
}

/// Why the command failed, and what to do next.
struct Failure: Error, Equatable {
  /// The part of the product that reports the failure.
  enum Reason: Equatable {
    case program(EnrollFailure)
    case library(MultiFactorError)
  }

  let reason: Reason
  /// The exit status.
  let status: ExitStatus

  /// Creates a failure that this program detected.
  init(_ reason: EnrollFailure, status: ExitStatus = .failed) {
    self.reason = .program(reason)
    self.status = status
  }

  /// Creates a failure that the library or the helper reported.
  init(_ error: MultiFactorError) {
    reason = .library(error)
    status = ExitStatus(error)
  }

  /// Returns what happened and what to do next, in a language.
  func text(in language: Language) -> FailureText {
    switch reason {
    case .program(let failure): failure.text(in: language)
    case .library(let error): error.text(in: language)
    }
  }

  /// Returns the failure as it is printed: what happened, and below it what to do next.
  func report(in language: Language) -> MessageText {
    let text = text(in: language)
    let error = EnrollMessage.errorLabel.label(in: language)
    let hint = EnrollMessage.hintLabel.label(in: language)
    return "mfa-enroll: \(error)\(text.description)\n\(hint)\(text.hint)"
  }
}
