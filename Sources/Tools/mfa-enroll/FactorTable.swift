import ArgumentParser
import FoundationEssentials
import MFAEnrollMessages
import MFAMessages
import MultiFactor

/// The formats in which factors are listed.
enum FactorTable {
  /// Returns a table for users. The names come last, because they can have any width.
  static func text(
    _ factors: [MultiFactorInfo], in language: Language, date: (Date) -> String
  ) -> String {
    let heading: [EnrollMessage] = [
      .columnID, .columnAdded, .columnUsed, .columnCodes, .columnName,
    ]
    let rows =
      [heading.map { $0.text(in: language) }]
      + factors.map { factor in
        [
          text(String(factor.uid.prefix(8))), text(String(date(factor.enrollmentDate).prefix(10))),
          text(factor.lastUseDate.map(date) ?? "-"), codes(of: factor, in: language),
          text(factor.name),
        ]
      }
    var widths = [0, 0, 0, 0, 0]
    for row in rows {
      for (column, cell) in row.enumerated() {
        widths[column] = max(widths[column], cell.columnsOfLastLine)
      }
    }
    return rows.map { row in
      row.enumerated().map { column, cell in
        let gap = column == row.count - 1 ? 0 : widths[column] - cell.columnsOfLastLine + 2
        return cell.string + String(repeating: " ", count: gap)
      }.joined() + "\n"
    }.joined()
  }

  private static func text(_ text: String) -> MessageText { MessageText(Array(text.utf8)) }

  /// Returns the parameters of a factor's codes, or nothing for another kind of factor.
  private static func codes(of factor: MultiFactorInfo, in language: Language) -> MessageText {
    if let phone = factor as? PhoneMultiFactorInfo { return text(phone.phoneNumber) }
    guard let app = factor as? TOTPMultiFactorInfo else { return text("") }
    return EnrollMessage.codes(
      algorithm: AlgorithmName(app.hashingAlgorithm).rawValue, digits: app.codeLength,
      seconds: app.codeIntervalSeconds
    ).text(in: language)
  }
}

/// Functions that find the factor that the user means.
enum FactorChoice {
  /// What completes the name of a device in a shell.
  static let completion = CompletionKind.shellCommand("mfa-enroll list --names 2>/dev/null")

  /// The shortest prefix of an identifier that is accepted.
  static let shortestIdentifier = 4

  /// Returns the factor with this name, or else with this identifier or identifier prefix. Without a text, returns
  /// the user's only factor.
  static func factor(
    _ text: String?, among factors: [MultiFactorInfo]
  ) throws(Failure) -> MultiFactorInfo {
    guard let first = factors.first else { throw Failure(.noDevice) }
    guard let text else {
      guard factors.count == 1 else { throw Failure(.severalDevices) }
      return first
    }
    if let named = factors.first(where: { $0.displayName == text }) { return named }
    let beginning = text.lowercased()
    let begun = factors.filter { $0.uid.hasPrefix(beginning) }
    guard beginning.count >= shortestIdentifier, let first = begun.first else {
      throw Failure(.noSuchDevice(name: shown(text)))
    }
    guard begun.count == 1 else {
      throw Failure(.ambiguousID(shown(text)))
    }
    return first
  }

  /// Returns the factor that the user means, as the other function does. At a terminal, lists several factors and
  /// asks, if the user named none.
  static func factor(
    _ text: String?, among factors: [MultiFactorInfo], askedBy interface: UserInterface
  ) throws(Failure) -> MultiFactorInfo {
    guard text == nil, factors.count > 1, interface.isAtTerminal else {
      return try factor(text, among: factors)
    }
    let table = FactorTable.text(
      factors, in: interface.language, date: LocaleSettings.text(of:))
    interface.tell(MessageText(Array(table.utf8)))
    while let answer = interface.ask(.deviceChoice, echo: true) {
      do throws(Failure) {
        return try factor(interface.text(of: answer), among: factors)
      } catch {
        interface.tell(error)
      }
    }
    interface.endLine()
    throw Failure(.severalDevices)
  }

  /// Returns user input without characters that could control the terminal.
  static func shown(_ text: String, longest: Int = 64) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.prefix(longest).map { scalar in
          switch scalar.properties.generalCategory {
          case .control, .format, .lineSeparator, .paragraphSeparator: "?"
          default: scalar
          }
        }))
  }
}

/// `mfa-enroll list`.
struct List: EnrollCommand {
  static let configuration = CommandConfiguration(
    abstract: "List your devices.", aliases: ["devices", "ls"])

  @Flag(help: "Print only the names, one on each line.")
  var names = false

  @OptionGroup var options: CommonOptions

  var asks: Bool { false }

  func check() throws(Failure) {
    guard !names || !options.json else { throw failure(.optionsExclude("--json", "--names")) }
  }

  func carryOut(_ multiFactor: MultiFactor, _ interface: UserInterface) async throws {
    let factors = try await multiFactor.enrolledFactors
    guard !names else {
      return Output.standardOutput.write(factors.map { $0.name + "\n" }.joined())
    }
    let user = try await multiFactor.userName
    if interface.isJSON {
      var result = ProgramResult(.factors)
      result.factors = factors.map { FactorEntry($0) }
      interface.report(result)
    } else if factors.isEmpty {
      Output.standardOutput.write(interface.text(.noDevices(user: user)) + "\n")
      interface.tell(.hintLabel, .addDevice)
    } else {
      let codesLeft = try await multiFactor.recoveryCodesLeft
      Output.standardOutput.write(
        FactorTable.text(factors, in: interface.language, date: LocaleSettings.text(of:)))
      RecoveryCodeDisplay.warn(left: codesLeft, on: interface)
    }
  }
}
