import MFAAdmin
import MFABase
import MFAModel

// MFAReport: a comparison of the host with NIST SP 800-63B-4 and PCI DSS 4.0.1.
//
// `Report` compares a configuration and `ReportFacts` with the requirements. Each `ReportItem` is
// one requirement with its status and its evidence.
//
// MUST 1: this library reads only what `ReportFacts` was given, and changes nothing.

/// A report on the requirements of standards for second factors, and whether this host meets them.
///
/// MUST 1: an item is met only if evidence for it was read on this host. Evidence that is missing
/// or cannot be read makes an item not met. (`ReportTests.nothingIsMetWithoutEvidence`,
/// `.changesFailRequirements`)
/// MUST 2: an item that does not depend on the host is by design, and names the tests that show it.
/// (`ReportTests.byDesignNamesTests`; packaging/named_tests.py checks that the tests exist)
package struct Report: Equatable {
  /// The items, in the order of the standards' sections.
  package let items: [ReportItem]

  /// The number of items that are not met.
  package var notMet: Int { items.count { $0.status == .notMet } }

  /// Creates the report for a configuration and the facts found on the host.
  package init(_ configuration: Configuration, _ facts: ReportFacts) {
    let requirements = Requirements(configuration: configuration, facts: facts)
    items =
      requirements.otp + requirements.phones + requirements.rateLimiting + requirements.binding
      + requirements.cardData
  }

  /// The report as JSON.
  package var json: JSON {
    .object([("notMet", .number(Int64(notMet))), ("items", .array(items.map(\.json)))])
  }

  /// Returns the report as text, wrapped to `columns`, or 80 columns if nil.
  package func text(columns: Int?) -> String {
    let width = max(columns ?? 80, 40)
    var text = ""
    for item in items {
      text += "\(item.section)  \(item.status.text.uppercased())\n"
      text += Self.wrapped(item.requirement, "  ", width)
      for setting in item.settings {
        let tenant = setting.tenant.map { "[tenant \($0)] " } ?? ""
        text += Self.wrapped("\(tenant)\(setting.text)  # \(setting.place)", "    ", width)
      }
      for evidence in item.evidence { text += Self.wrapped("- \(evidence)", "    ", width) }
      if !item.tests.isEmpty {
        text += Self.wrapped("- tests: \(item.tests.joined(separator: ", "))", "    ", width)
      }
    }
    func count(_ status: ReportItem.Status) -> Int { items.count { $0.status == status } }
    return text + "\n"
      + Self.wrapped(
        "\(count(.met)) met, \(count(.byDesign)) by design, \(notMet) not met, "
          + "\(count(.outside)) outside of this software", "", width)
  }

  /// Returns the text in lines that begin with `margin`.
  private static func wrapped(_ text: String, _ margin: String, _ width: Int) -> String {
    TextWidth.wrapped(margin + text, to: width, hanging: 2) + "\n"
  }
}

/// The requirements of the standards, checked against a configuration and facts.
private struct Requirements {
  let configuration: Configuration
  let facts: ReportFacts

  private static let nist = "NIST SP 800-63B-4 "
  private static let pci = "PCI DSS 4.0.1 "

  private var enforcement: [ReportItem.Setting] { settings(.state) }

  /// Returns the setting of a key in `[project]`, and in each tenant that sets it.
  private func settings(_ key: Configuration.Key) -> [ReportItem.Setting] {
    let tenants = configuration.tenants.filter { configuration.value(of: key, in: $0) != nil }
    return ([nil] + tenants.map { Optional($0) })
      .map { ReportItem.Setting(key, in: $0, of: configuration) }
  }

  /// Returns the scopes, `[project]` first, in which a key has a different value from `value`.
  private func scopes(where key: Configuration.Key, isNot value: String) -> [String] {
    ([nil] + configuration.tenants.map { Optional($0) }).compactMap { tenant in
      let own = tenant.flatMap { configuration.value(of: key, in: $0) }
      guard (own ?? configuration.value(of: key)) != Array(value.utf8) else { return nil }
      return tenant.map { "[tenant \(VisibleText.escaping($0.name))]" } ?? "[project]"
    }
  }

  private var unenforced: [String] {
    scopes(where: .state, isNot: Configuration.State.enabled.name)
  }
  private var optional: [String] {
    scopes(where: .enrollment, isNot: Configuration.Enrollment.required.name)
  }

  private func names(_ scopes: [String], _ what: String) -> [String] {
    scopes.isEmpty ? [] : ["\(scopes.joined(separator: ", ")): \(what)"]
  }

  /// The records that cannot be used: nothing is known about their factors and codes.
  private var unread: [String] {
    facts.unusable > 0 ? ["records that cannot be used: \(facts.unusable)"] : []
  }

  /// The reasons why the audit log is not evidence of everything that happened on this host.
  private var logGaps: [String] {
    var gaps = facts.auditLogProblem.map { [$0] } ?? []
    if facts.recordsWithoutEntries > 0 {
      gaps.append("records without an entry in the audit log: \(facts.recordsWithoutEntries)")
    }
    if facts.count("audit-log-begun", "log-begun") > 0 {
      gaps.append("the audit log was begun anew: an assessor must check the earlier one")
    }
    return gaps
  }

  private var auditLog: [String] {
    var lines = facts.auditLogProblem == nil ? ["the audit log was verified"] : []
    lines += logGaps
    if let last = facts.lastEntry { lines.append("the last entry: \(last)") }
    return lines
  }

  // MARK: NIST

  /// Single-factor one-time passwords.
  var otp: [ReportItem] {
    let section = Self.nist + "3.1.4"
    let interval = Int(configuration.project.adjacentIntervals)
    return [
      ReportItem(
        section, "keys have at least 112 bits",
        facts.weakKeys == 0 && unread.isEmpty ? .met : .notMet,
        [
          "keys created here have 160 bits or more",
          "factors: \(facts.factors), with a shorter key: \(facts.weakKeys)",
        ] + unread),
      ReportItem(
        section, "the input from which a code is generated changes at least every two minutes",
        facts.longestPeriod <= 120 && unread.isEmpty ? .met : .notMet,
        ["the longest period of a factor: \(facts.longestPeriod) s; 15 to 120 s are allowed"]
          + unread),
      ReportItem(
        section, "a valid code is accepted only once",
        unenforced.isEmpty ? .met : .notMet,
        settings: enforcement + settings(.adjacentIntervals),
        [
          "an accepted time step, and every earlier one, is stored as used before a user is let in",
          "with a period of 30 s, a code is valid for \(30 * (2 * interval + 1)) s in [project]",
        ] + names(unenforced, "a used code does not deny a sign-in"),
        tests: ["AttemptStateTests.acceptedOnce", "Concurrency.oneCodeOneSignIn"]),
      ReportItem(
        section, "keys are accessible only to the components that need them",
        facts.keyExposures.isEmpty ? .met : .notMet,
        facts.keyExposures + [
          "keys are sealed under \(InstalledPath.key), in files that only the user mfa and root "
            + "may open",
          "no command shows a key after enrolment",
        ],
        tests: ["ManagementTests.secretIsNotShownAgain", "Artefacts.secrets"]),
      ReportItem(
        section, "codes are sent over an authenticated and encrypted channel", .outside,
        ["ssh and the host's terminals meet this; do not use the module with telnet or rsh"]),
      ReportItem(
        Self.nist + "2.2.2", "at AAL2, a phishing-resistant option is offered", .outside,
        [
          "one-time codes are not phishing-resistant: offer keys of the types ed25519-sk and "
            + "ecdsa-sk in sshd"
        ]),
    ]
  }

  /// Codes by text message, a restricted authenticator. Left out if no user has a phone.
  var phones: [ReportItem] {
    guard facts.phones > 0 else { return [] }
    let only = facts.phoneOnly.joined(separator: ", ")
    return [
      ReportItem(
        Self.nist + "3.1.3.3",
        "users of codes by text message also have an authenticator that is not restricted",
        facts.phoneOnly.isEmpty && unread.isEmpty ? .met : .notMet, settings: settings(.factors),
        [
          "phones: \(facts.phones), users with nothing but a phone: "
            + (only.isEmpty ? "none" : only),
          "mfa-enroll tells users of the risk before a phone is added; to forbid phones: "
            + "factors = totp",
        ] + unread)
    ]
  }

  /// Rate limiting.
  var rateLimiting: [ReportItem] {
    let section = Self.nist + "3.2.2"
    return [
      ReportItem(
        section, "after at most 100 consecutive failures, the factor is disabled",
        unenforced.isEmpty ? .met : .notMet, settings: settings(.disableAfter) + enforcement,
        ["users with locked factors: \(facts.locked)"]
          + names(unenforced, "no sign-in is denied"),
        tests: ["AttemptStateTests.standings", "SignInTests.disabled"]),
      ReportItem(
        section, "a factor disabled this way must be bound again",
        facts.unlockedFactors == 0 && logGaps.isEmpty ? .met : .notMet,
        [
          "times that mfa-admin unlock unlocked factors: \(facts.unlockedFactors)",
          "required instead: mfa-admin revoke, then a new enrolment",
        ] + logGaps),
      ReportItem(
        section, "increasing waits before that are allowed", .byDesign,
        settings: settings(.throttleAfter) + settings(.throttleFirstWait)
          + settings(.throttleLongestWait),
        ["an attempt is stored as failed before its code is compared; a success resets the count"],
        tests: ["AttemptStateTests.standings", "AttemptTests.writtenFirst"]),
    ]
  }

  /// Binding, recovery and notices.
  var binding: [ReportItem] {
    let binds = facts.count("enrolled", "enrolled-by-ticket", "imported")
    let ends = facts.count("unenrolled", "revoked")
    let mail = facts.hasMailer ? "there is a mailer" : "there is no mailer: /usr/sbin/sendmail"
    return [
      ReportItem(
        Self.nist + "4.1", "all factors ever bound are recorded, with times and sources",
        logGaps.isEmpty ? .met : .notMet, ["bound: \(binds), removed: \(ends)"] + auditLog),
      ReportItem(
        Self.nist + "4.1", "binding a factor requires proof of the account and an existing factor",
        facts.enrollmentGaps.isEmpty ? .met : .notMet,
        facts.enrollmentGaps + [
          "mfa-enroll asks for both; its session ends after ten minutes",
          "bound with an administrator's ticket: \(facts.count("enrolled-by-ticket")), imported by "
            + "an administrator: \(facts.count("imported"))",
        ],
        tests: [
          "ManagementTests.needsASession", "ManagementTests.presentFactorIsAskedFor",
          "EnrollmentDialogTests.onlyAfterTheFirstFactor",
        ]),
      ReportItem(
        Self.nist + "4.2", "recovery codes have at least 64 random bits",
        facts.withShortRecoveryCodes == 0 && unread.isEmpty ? .met : .notMet,
        [
          "codes created here have 80 bits",
          "users with recovery codes: \(facts.withRecoveryCodes), with imported codes of 8 digits: "
            + "\(facts.withShortRecoveryCodes)",
        ] + unread),
      ReportItem(
        Self.nist + "4.2", "a recovery code is valid once, and is rate-limited",
        .byDesign, ["used: \(facts.count("recovery-code-used", "unlocked-by-recovery-code"))"],
        tests: ["AttemptTests.recoveryCodeIsGoodOnce", "AttemptTests.recoveryCodeWaits"]),
      ReportItem(
        Self.nist + "4.2", "a used recovery code is replaced",
        facts.withUsedRecoveryCodes == 0 && unread.isEmpty ? .met : .notMet,
        [
          "users who have used recovery codes and made no new set: \(facts.withUsedRecoveryCodes)",
          "each use tells the user how many codes are left and, from "
            + "\(RecoveryCodeSupply.few), asks for a new set: mfa-enroll recovery-codes --new",
        ] + unread),
      ReportItem(
        Self.nist + "4.2", "recovery codes are stored with a one-way function, as passwords are",
        .outside,
        [
          "recovery codes are stored as HMAC-SHA-256 under \(InstalledPath.key); an attacker "
            + "with the key can test guesses at almost no cost: an assessor must decide whether "
            + "this is enough for codes of 80 bits"
        ]),
      ReportItem(
        Self.nist + "4.2", "a recovery code alone does not recover an account",
        facts.signInsWithoutFirstFactor.isEmpty ? .outside : .notMet,
        facts.signInsWithoutFirstFactor + [
          "the PAM stack also asks for the password or the key: check with mfa-admin doctor"
        ]),
      ReportItem(
        Self.nist + "4.6", "the user is notified of binding and recovery",
        facts.hasMailer ? .met : .notMet,
        ["notices are shown at the next sign-in, and mailed if there is a mailer; \(mail)"]),
      ReportItem(
        Self.nist + "4.6", "at least two addresses are supported, and each notice goes to all",
        .outside, ["the addresses are configured in the host's mail system: aliases(5)"]),
      ReportItem(
        Self.nist + "4.6",
        "a notice says what to do, and whom to contact, if the user did not make the change",
        .outside,
        [
          "each mail asks the user to tell an administrator at once; replies go to root or to mfa: "
            + "in aliases(5), name an administrator who reads them"
        ]),
    ]
  }

  // MARK: PCI DSS

  /// Multi-factor authentication for the cardholder data environment.
  var cardData: [ReportItem] {
    let gaps =
      names(unenforced, "the second factor is not enforced")
      + names(optional, "users who have not enrolled are let in without a code")
    let memory =
      names(scopes(where: .remember, isNot: "off"), "a remembered sign-in skips the code")
      + names(scopes(where: .freshFor, isNot: "off"), "a remembered sign-in skips the code")
    let unasked =
      facts.servicesUsingModule.isEmpty
      ? ["no service uses the module"]
      : facts.hasSSHD && !facts.servicesUsingModule.contains("sshd")
        ? ["sshd does not use the module"] : []
    let ways = facts.signInsWithoutCode
    let exceptions = gaps + ways + (facts.auditLogProblem.map { [$0] } ?? []) + unread
    let isAsked: ReportItem.Status = (gaps + unasked + ways).isEmpty ? .met : .notMet
    let isComplete: ReportItem.Status = (gaps + memory + ways).isEmpty ? .met : .notMet
    let settings = enforcement + settings(.enrollment)
    let services =
      unasked + ways
      + (facts.servicesUsingModule.isEmpty
        ? []
        : ["services that use the module: \(facts.servicesUsingModule.joined(separator: ", "))"])
    let issued = facts.count("bypass-made")
    return [
      ReportItem(
        Self.pci + "8.4.1",
        "multi-factor authentication is required for administrators' access to the cardholder "
          + "data environment, except at its consoles", isAsked, settings: settings,
        gaps + services),
      ReportItem(
        Self.pci + "8.4.2",
        "multi-factor authentication is required for all other access to that environment",
        isAsked, settings: settings,
        gaps + services + ["users who sign in only with phishing-resistant factors are exempt"]),
      ReportItem(
        Self.pci + "8.4.3",
        "multi-factor authentication is required for remote access from outside networks that "
          + "could reach that environment",
        isAsked, settings: settings, gaps + services),
      ReportItem(
        Self.pci + "8.5.1", "an observed code cannot be used again",
        unenforced.isEmpty ? .met : .notMet, settings: enforcement,
        ["an accepted code is never accepted again"]
          + names(unenforced, "a used code does not deny a sign-in"),
        tests: ["AttemptStateTests.acceptedOnce", "Concurrency.oneCodeOneSignIn"]),
      ReportItem(
        Self.pci + "8.5.1",
        "no user, including administrators, can bypass multi-factor authentication, except by a "
          + "documented exception that is authorised by the management and limited in time",
        exceptions.isEmpty ? .met : .notMet, settings: settings,
        exceptions + [
          "each bypass code has a reason and an expiry; created: \(issued), used: "
            + "\(facts.count("bypass-used")), valid now: \(facts.bypasses)",
          "check by the recorded reasons that each one was authorised: mfa-admin audit-log show",
        ]),
      ReportItem(
        Self.pci + "8.5.1", "two different types of factors are used",
        facts.signInsWithoutFirstFactor.isEmpty ? .outside : .notMet,
        facts.signInsWithoutFirstFactor + [
          "the PAM stack asks for the password or the key: check with mfa-admin doctor"
        ]),
      ReportItem(
        Self.pci + "8.5.1", "all factors must be correct before access is granted", isComplete,
        settings: settings + self.settings(.remember) + self.settings(.freshFor),
        gaps + memory + ways + ["every error is a denial; the PAM stack defines the order"],
        tests: ["SignInTests.everythingFailsClosed", "VerdictTests.enabled"]),
    ]
  }
}
