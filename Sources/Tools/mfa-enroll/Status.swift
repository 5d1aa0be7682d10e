import ArgumentParser
import FoundationEssentials
import MFAEnrollMessages
import MFAMessages
import MultiFactor

/// `mfa-enroll status`.
struct Status: EnrollCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show your devices, recovery codes, failed attempts and notices.",
    discussion: "It needs no password, and changes nothing.")

  @OptionGroup var options: CommonOptions

  var asks: Bool { false }

  func carryOut(_ multiFactor: MultiFactor, _ interface: UserInterface) async throws {
    let report = StatusReport(
      account: try await multiFactor.userName, host: FactorChoice.shown(CallingProcess.hostName),
      factors: try await multiFactor.enrolledFactors, status: try await multiFactor.status,
      now: .now)
    guard !interface.isJSON else { return ProgramConversation.report(report.encoded) }
    Output.standardOutput.write(
      report.text(in: interface.language) { LocaleSettings.text(of: $0, in: interface.language) })
  }
}

/// The state of a user's second factors, as `mfa-enroll status` prints it.
struct StatusReport {
  let account: String
  let host: String
  let factors: [MultiFactorInfo]
  let status: MultiFactorStatus
  /// The time of the report, from which a wait is counted.
  let now: Date

  /// When codes are verified again after failed attempts, or nil if they are verified now.
  var throttledUntil: Date? {
    guard case .throttled(let seconds) = status.signInStanding else { return nil }
    return now.addingTimeInterval(TimeInterval(seconds))
  }

  // MARK: Text

  /// Returns a line for the account, and a table for users.
  func text(in language: Language, date: (Date) -> String) -> String {
    let account = EnrollMessage.account(user: account, host: host).text(in: language).string
    let rows = rows(date: date).map { row in
      (label: row.label?.text(in: language), text: row.text(language))
    }
    let width = rows.map { $0.label?.columnsOfLastLine ?? 0 }.max() ?? 0
    return rows.reduce(into: account + "\n") { text, row in
      let gap = width - (row.label?.columnsOfLastLine ?? 0) + 2
      text += (row.label?.string ?? "") + String(repeating: " ", count: gap) + row.text + "\n"
    }
  }

  private struct Row {
    /// The label, or nil in a line that continues the one above.
    let label: StatusMessage?
    let text: (Language) -> String

    init(_ label: StatusMessage?, _ text: StatusMessage) {
      self.label = label
      self.text = { text.text(in: $0).string }
    }

    init(_ label: StatusMessage, _ number: Int) {
      self.label = label
      text = { _ in String(number) }
    }
  }

  private func rows(date: (Date) -> String) -> [Row] {
    var rows: [Row] = factors.enumerated().map { index, factor in
      Row(
        index == 0 ? .devices : nil,
        .device(name: factor.name, date: date(factor.enrollmentDate)))
    }
    if rows.isEmpty { rows = [Row(.devices, .noDevice)] }
    let (left, imported) = (status.recoveryCodesLeft, status.importedRecoveryCodesLeft)
    rows += [
      imported > 0
        ? Row(.recoveryCodesLeft, .codesWithImported(left: left, imported: imported))
        : Row(.recoveryCodesLeft, left),
      Row(.failedAttempts, status.failedAttempts), Row(.signIns, standing(date: date)),
      Row(.rememberedSignIns, status.rememberedSignIns),
      Row(.pendingNotices, status.pendingNotices),
    ]
    return rows
  }

  private func standing(date: (Date) -> String) -> StatusMessage {
    switch status.signInStanding {
    case .open where factors.isEmpty: withoutDevice
    case .open: .open
    case .throttled: .throttled(until: throttledUntil.map(date) ?? "?")
    case .locked: status.recoveryCodeUnlocks ? .lockedUntilRecoveryCode : .locked
    }
  }

  /// What a sign-in asks for if the user has no device.
  private var withoutDevice: StatusMessage {
    guard status.expectsDevice else { return .noCodeAsked }
    return switch status.enrollment {
    case .selfService: .noCodeAsked
    case .offered: .deviceOffered
    case .required: .deviceRequired
    }
  }

  // MARK: JSON

  /// The report in JSON.
  var encoded: some Encodable { Encoded(self) }

  private struct Encoded: Encodable {
    let result = "status"
    let account: String
    let host: String
    let enrollment: String
    let state: String
    let factors: [FactorEntry]
    let recoveryCodesLeft: Int
    let importedRecoveryCodesLeft: Int
    let failedAttempts: Int
    let standing: String
    let throttledUntil: Date?
    let recoveryCodeUnlocks: Bool
    let rememberedSignIns: Int
    let pendingNotices: Int
    let endsSessions: Bool

    init(_ report: StatusReport) {
      account = report.account
      host = report.host
      enrollment = report.status.enrollment.rawValue
      state = report.status.state.rawValue
      factors = report.factors.map(FactorEntry.init)
      recoveryCodesLeft = report.status.recoveryCodesLeft
      importedRecoveryCodesLeft = report.status.importedRecoveryCodesLeft
      failedAttempts = report.status.failedAttempts
      standing =
        switch report.status.signInStanding {
        case .open: "open"
        case .throttled: "throttled"
        case .locked: "locked"
        }
      throttledUntil = report.throttledUntil
      recoveryCodeUnlocks = report.status.recoveryCodeUnlocks
      rememberedSignIns = report.status.rememberedSignIns
      pendingNotices = report.status.pendingNotices
      endsSessions = report.status.endsSessions
    }
  }
}

extension MultiFactorStatus {
  /// Whether a user without a device is asked to add one at sign-ins, now or later.
  var expectsDevice: Bool {
    guard state == .enabled else { return false }
    return switch enrollment {
    case .selfService: false
    case .offered, .required: true
    }
  }
}

/// `mfa-enroll notices`.
struct Notices: EnrollCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show notices about your devices, and mark them as read.",
    discussion: "Notices of changes stay until you sign in with a device that you had before.")

  @OptionGroup var options: CommonOptions

  var asks: Bool { false }

  func listener(_ interface: UserInterface) -> @Sendable (String) -> Void { interface.print }

  func carryOut(_ multiFactor: MultiFactor, _ interface: UserInterface) async throws {
    try await multiFactor.readNotices()
    interface.report(ProgramResult(.notices))
  }
}
