import FoundationEssentials
import MFABase
import MFAEnrollMessages
import MFAMessages
import MFAModel
import MultiFactor

/// The conversation with a program that gave the option `--json`: one JSON object on each line of standard output,
/// and one for each answer on standard input. `packaging/mfa-enroll.schema.json` describes them; they are part of
/// the program's interface (mfa-enroll(1)).
enum ProgramConversation {
  /// The version of the conversation. It changes when a line changes or disappears that a program may rely on.
  static let version = 1

  /// The longest line of an answer, in bytes.
  private static let longestAnswer = 4096

  /// Tells whether the command line has the option, even if the command line is wrong otherwise.
  static var isRequested: Bool {
    CommandLine.arguments.dropFirst().prefix { $0 != "--" }.contains("--json")
  }

  // MARK: Lines

  /// Writes the first line.
  static func begin() {
    struct Beginning: Encodable {
      let version: Int
      let release: String
    }
    write(Beginning(version: version, release: "\(Release.version)"))
  }

  /// Asks for something until an answer is understood. Returns nil at the end of the input, or if the program
  /// cancels.
  static func ask(_ need: Need, echo: Bool, in language: Language) -> SecretBytes? {
    while true {
      write(need)
      let input = Input.standardInput
      guard
        let line = echo || !input.isTerminal
          ? input.line(longest: longestAnswer)
          : TerminalGuard.withoutEcho(on: input, { input.line(longest: longestAnswer) })
      else { return nil }
      if let answer = ProgramAnswer(line) {
        switch answer.name {
        case need.need.rawValue: return answer.value.prefix(.max)
        case "send" where need.need == .code:
          return SecretBytes(joining: Array("s ".utf8).span, answer.value.span)
        case "send" where need.need == .newFactorCode: return SecretBytes("s")
        case "cancel": return nil
        default: break
        }
      }
      reject(Failure(.answerNotUnderstood(need: need.need.rawValue)), in: language)
    }
  }

  /// Sends the program a text that it shows the user.
  static func notice(_ text: String) { write(["notice": text]) }

  /// Says why an answer was not accepted, after which the command continues.
  static func reject(_ failure: Failure, in language: Language) {
    write(FailureLine(failure, isLast: false, in: language))
  }

  /// Ends the conversation with an error.
  static func fail(_ failure: Failure, in language: Language) {
    write(FailureLine(failure, isLast: true, in: language))
  }

  /// Writes a new key, before it is enrolled.
  ///
  /// The text is written in pieces, so that the key is never in a string. Neither the key nor the
  /// percent-encoded URL contains a character that JSON would escape.
  static func offer(
    _ secret: TOTPSecret, url: borrowing SecretBytes, account: String, issuer: String
  ) {
    let output = Output.standardOutput
    let offer = Offer(
      account: account, algorithm: AlgorithmName(secret.hashingAlgorithm).rawValue,
      digits: secret.codeLength,
      enrollmentCompletionDeadline: secret.enrollmentCompletionDeadline, issuer: issuer,
      periodSeconds: secret.codeIntervalSeconds)
    output.write("\(text(of: offer).dropLast()),\"key\":\"")
    output.write(secret.sharedSecretKey())
    output.write("\",\"url\":\"")
    output.write(url)
    output.write("\"}\n")
  }

  /// Ends the conversation with a result.
  static func report(_ result: some Encodable) { write(result) }

  /// Ends the conversation with a result and recovery codes, which are written in pieces, as a key is.
  static func report(_ result: some Encodable, _ codes: borrowing RecoveryCodes) {
    let output = Output.standardOutput
    output.write("\(text(of: result).dropLast()),\"recoveryCodes\":")
    var separator = "[\""
    codes.forEach { code in
      output.write(separator)
      output.write(code)
      separator = "\",\""
    }
    output.write("\"]}\n")
  }

  /// Ends the conversation with a result and a secret, in a member with this name. The secret has no character that JSON
  /// would escape.
  static func report(
    _ result: some Encodable, secret: borrowing SecretBytes, named name: String
  ) {
    let output = Output.standardOutput
    output.write("\(text(of: result).dropLast()),\"\(name)\":\"")
    output.write(secret)
    output.write("\"}\n")
  }

  private static func write(_ value: some Encodable) {
    Output.standardOutput.write(text(of: value) + "\n")
  }

  /// Returns a value as one line.
  static func text(of value: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    do {
      return String(decoding: try encoder.encode(value), as: UTF8.self)
    } catch {
      // Only a number that is not finite cannot be encoded, and no line has such.
      return "{\"error\":\"\(MultiFactorError.Code.internalError.rawValue)\"}"
    }
  }

  private struct Offer: Encodable {
    let account: String
    let algorithm: String
    let digits: Int
    let enrollmentCompletionDeadline: Date
    let issuer: String
    let periodSeconds: Int
  }
}

/// What a program is asked for.
struct Need: Encodable {
  /// The kinds of answer, by the name of the answer's member.
  enum Kind: String, CaseIterable, Encodable {
    case password, ticket, code, answer, newFactorCode, nextCode, phoneNumber
  }

  let need: Kind
  /// The question of the host, in the user's language.
  var text: String?
  /// The factors whose codes are accepted.
  var factors: [FactorEntry]?

  /// A question of the host, for a user with these factors.
  init(_ prompt: ReauthenticationPrompt.Kind, text: String, factors: [FactorEntry]) {
    need =
      switch prompt {
      case .password: .password
      case .ticket: .ticket
      case .code: .code
      case .answer: .answer
      }
    self.text = text
    if need == .code { self.factors = factors }
  }

  init(_ need: Kind, factors: [FactorEntry]? = nil) {
    self.need = need
    self.factors = factors
  }
}

/// What a command did, in the last line.
struct ProgramResult: Encodable {
  /// What was done.
  enum Name: String, CaseIterable, Encodable {
    case enrolled, replaced, factors, renamed, resynchronized, unenrolled, tested, recoveryCodes,
      offlineCodes, forgotten
    case notices, programPassword, programPasswords, programPasswordRemoved
  }

  let result: Name
  var factor: FactorEntry?
  var factors: [FactorEntry]?
  /// The factor that another one replaced.
  var removed: FactorEntry?
  /// The kind of code that was tested.
  var code: TestedCode.Name?
  var signedOut: Bool?
  var endsSessions: Bool?
  var recoveryCodesLeft: Int?
  var importedRecoveryCodesLeft: Int?
  var rememberedSignIns: Int?
  /// The group of hosts.
  var hosts: String?
  var programPassword: ProgramPasswordEntry?
  var programPasswords: [ProgramPasswordEntry]?

  init(_ result: Name) { self.result = result }

  init(_ result: Name, _ password: ProgramPasswordEntry) {
    self.result = result
    programPassword = password
  }

  init(_ result: Name, _ factor: FactorEntry) {
    self.result = result
    self.factor = factor
  }
}

extension TestedCode {
  /// The names of the kinds in JSON.
  enum Name: String, Encodable {
    case factor, recoveryCode, bypassCode
  }

  var name: Name {
    switch self {
    case .factorCode: .factor
    case .recoveryCode: .recoveryCode
    case .bypassCode: .bypassCode
    }
  }
}

/// A factor in JSON.
struct FactorEntry: Encodable {
  let id: String
  let displayName: String
  let factorID: String
  /// Absent while the factor is being enrolled.
  let enrollmentDate: Date?
  /// When a code was last accepted. Absent if that is not known.
  let lastUseDate: Date?
  /// Absent, as the two keys below, unless the factor is an authenticator app.
  let algorithm: String?
  let digits: Int?
  let periodSeconds: Int?
  /// Absent, as the key below, unless the factor is a phone.
  let phoneNumber: String?
  let usableFrom: Date?

  init(_ factor: MultiFactorInfo) {
    id = factor.uid
    displayName = factor.name
    factorID = factor.factorID.rawValue
    enrollmentDate = factor.enrollmentDate
    lastUseDate = factor.lastUseDate
    let app = factor as? TOTPMultiFactorInfo
    algorithm = app.map { AlgorithmName($0.hashingAlgorithm).rawValue }
    digits = app?.codeLength
    periodSeconds = app?.codeIntervalSeconds
    let phone = factor as? PhoneMultiFactorInfo
    phoneNumber = phone?.phoneNumber
    usableFrom = phone?.usableFrom
  }

  /// A factor that was just enrolled.
  init(uid: String, displayName: String, _ kind: MultiFactorInfo.FactorKind) {
    id = uid
    self.displayName = displayName
    factorID = kind.rawValue
    (enrollmentDate, lastUseDate, algorithm, digits, periodSeconds) = (nil, nil, nil, nil, nil)
    (phoneNumber, usableFrom) = (nil, nil)
  }
}

/// Why an answer or a command failed, in JSON.
private struct FailureLine: Encodable {
  /// The code of an answer that was not accepted.
  let rejected: String?
  /// The code of an error that ends the command.
  let error: String?
  let message: String
  let hint: String
  /// The time to wait.
  let seconds: Int?

  init(_ failure: Failure, isLast: Bool, in language: Language) {
    (rejected, error) = isLast ? (nil, failure.code) : (failure.code, nil)
    let text = failure.text(in: language)
    (message, hint, seconds) = (text.description.string, text.hint.string, failure.seconds)
  }
}
