import Factors
import Policy

/// What standards ask of a second factor, item by item, and how this host stands to it.
///
/// MUST 1: what nobody has looked at is not called met: an item is met by what this software does
/// whatever is configured, or by settings that are named. (`ReportTests`)
struct Report: Equatable {
  /// The items, in the order of their standards.
  let items: [ReportItem]

  /// Items that are not met.
  var notMet: Int { items.count { $0.status == .notMet } }

  /// The answers for these settings and what was found.
  init(_ configuration: Configuration, _ facts: ReportFacts) {
    let questions = Questions(configuration: configuration, facts: facts)
    items = questions.otp + questions.rateLimiting + questions.binding + questions.cardData
  }

  /// The report for programs.
  var json: JSON {
    .object([("notMet", .number(Int64(notMet))), ("items", .array(items.map(\.json)))])
  }

  /// The report for people, in lines of at most `columns`, or 80.
  func text(columns: Int?) -> String {
    let width = max(columns ?? 80, 40)
    var text = ""
    for item in items {
      text += "\(item.section)  \(item.status.rawValue.uppercased())\n"
      text += Self.wrapped(item.requirement, "  ", width)
      for setting in item.settings {
        let tenant = setting.tenant.map { "[tenant \($0)] " } ?? ""
        text += Self.wrapped("\(tenant)\(setting.text)  # \(setting.place)", "    ", width)
      }
      for evidence in item.evidence { text += Self.wrapped("- \(evidence)", "    ", width) }
    }
    let met = items.count { $0.status == .met }
    let outside = items.count { $0.status == .outside }
    return text + "\n"
      + Self.wrapped(
        "\(met) met, \(notMet) not met, \(outside) outside of this software", "", width)
  }

  private static func wrapped(_ text: String, _ margin: String, _ width: Int) -> String {
    var lines = ""
    var line = margin
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      let isFirst = line == margin
      if !isFirst, TextWidth.of(line) + 1 + TextWidth.of(String(word)) > width {
        lines += line + "\n"
        line = margin + "  " + word
      } else {
        line += (isFirst ? "" : " ") + word
      }
    }
    return lines + line + "\n"
  }
}

/// The questions and their answers.
private struct Questions {
  let configuration: Configuration
  let facts: ReportFacts

  private static let nist = "NIST SP 800-63B-4 "
  private static let pci = "PCI DSS 4.0.1 "

  private var enforcement: [ReportItem.Setting] { settings(.state) }

  /// A key in `[project]`, and in each tenant that sets it.
  private func settings(_ key: Configuration.Key) -> [ReportItem.Setting] {
    let tenants = configuration.tenants.filter { configuration.value(of: key, in: $0) != nil }
    return ([nil] + tenants.map { Optional($0) })
      .map { ReportItem.Setting(key, in: $0, of: configuration) }
  }

  /// The scopes, `[project]` first, whose value of a key is another than this.
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

  private var ledger: [String] {
    var lines = [facts.ledgerTrouble ?? "the ledger was verified"]
    if let last = facts.lastEntry { lines.append("the last entry: \(last)") }
    if facts.unlisted > 0 {
      lines.append("records of which the ledger knows nothing: \(facts.unlisted)")
    }
    return lines
  }

  // MARK: NIST

  /// Single-factor one-time passwords.
  var otp: [ReportItem] {
    let section = Self.nist + "3.1.4"
    let unread = facts.unusable > 0 ? ["records that cannot be used: \(facts.unusable)"] : []
    let interval = Int(configuration.project.adjacentIntervals)
    return [
      ReportItem(
        section, "keys have 112 bits at least", facts.weakKeys == 0 ? .met : .notMet,
        [
          "keys made here have 160 bits or more",
          "factors: \(facts.factors), with a shorter key: \(facts.weakKeys)",
        ] + unread),
      ReportItem(
        section, "what a code is made from changes every two minutes at least",
        facts.longestPeriod <= 120 ? .met : .notMet,
        ["the longest period of a factor: \(facts.longestPeriod) s; taken are 15 to 120 s"]),
      ReportItem(
        section, "as long as a code is good, it is accepted once",
        unenforced.isEmpty ? .met : .notMet,
        settings: enforcement + settings(.adjacentIntervals),
        [
          "an accepted step, and every earlier one, is on the disk before anybody is let in",
          "with a period of 30 s a code is good for \(30 * (2 * interval + 1)) s by [project]",
        ] + names(unenforced, "a code that was used does not keep anybody out")),
      ReportItem(
        section, "keys are kept from everything that has no need of them", .met,
        [
          "sealed under /etc/mfa/key, in files that the system user mfa alone can open; root can",
          "no command shows a key again",
        ]),
      ReportItem(
        section, "codes go through an authenticated and encrypted channel", .outside,
        ["ssh and a terminal of the host's do; do not put the module into telnet or rsh"]),
      ReportItem(
        Self.nist + "2.2.2", "at AAL2 something that withstands phishing is offered", .outside,
        ["a one-time code does not: offer keys of the types ed25519-sk and ecdsa-sk in sshd"]),
    ]
  }

  /// Rate limiting.
  var rateLimiting: [ReportItem] {
    let section = Self.nist + "3.2.2"
    return [
      ReportItem(
        section, "after 100 failures in a row at most, the factor is disabled",
        unenforced.isEmpty ? .met : .notMet, settings: settings(.disableAfter) + enforcement,
        ["users whose factors are disabled now: \(facts.disabled)"]
          + names(unenforced, "nobody is kept out")),
      ReportItem(
        section, "what was disabled so is bound anew", facts.forgiven == 0 ? .met : .notMet,
        [
          "times that mfa-admin unlock let a disabled factor be used again: \(facts.forgiven)",
          "mfa-admin revoke, and enrolling anew, is what is asked for",
        ]),
      ReportItem(
        section, "waits may grow before that", .met,
        settings: settings(.throttleAfter) + settings(.throttleFirstWait)
          + settings(.throttleLongestWait),
        ["a failure is on the disk before it is compared; a success ends the row"]),
    ]
  }

  /// Binding, recovery and notices.
  var binding: [ReportItem] {
    let binds = facts.count("enrolled", "enrolled-by-ticket", "imported")
    let ends = facts.count("unenrolled", "revoked")
    let isListed = facts.ledgerTrouble == nil && facts.unlisted == 0
    let mail = facts.hasMailer ? "there is a mailer" : "there is no mailer: /usr/sbin/sendmail"
    return [
      ReportItem(
        Self.nist + "4.1", "every factor that was ever bound is on record, with times and sources",
        isListed ? .met : .notMet, ["bound: \(binds), taken away: \(ends)"] + ledger),
      ReportItem(
        Self.nist + "4.1", "who binds a factor has proven the account, and a present factor", .met,
        [
          "mfa-enroll asks for both; a session ends after ten minutes",
          "bound with an administrator's ticket: \(facts.count("enrolled-by-ticket")), taken over "
            + "from another program by one: \(facts.count("imported"))",
        ]),
      ReportItem(
        Self.nist + "4.2", "recovery codes have 64 random bits at least",
        facts.withShortRecoveryCodes == 0 ? .met : .notMet,
        [
          "codes made here have 80 bits",
          "users with recovery codes: \(facts.withRecoveryCodes), with imported ones of 8 digits: "
            + "\(facts.withShortRecoveryCodes)",
        ]),
      ReportItem(
        Self.nist + "4.2", "a recovery code is good once, counts as a guess, and is replaced", .met,
        ["used: \(facts.count("recovery-code-used"))"]),
      ReportItem(
        Self.nist + "4.2", "recovery codes are kept by a one-way function, as passwords are",
        .outside,
        [
          "they are kept as HMAC-SHA-256 under /etc/mfa/key, which costs a guesser nothing who has "
            + "the key: whether that is enough for codes of 80 bits is for an assessor to say"
        ]),
      ReportItem(
        Self.nist + "4.2", "a recovery code alone does not recover an account", .outside,
        ["the PAM stack asks for the password or the key besides: mfa-admin doctor looks at it"]),
      ReportItem(
        Self.nist + "4.6", "the person is told of binding and recovery",
        facts.hasMailer ? .met : .notMet,
        ["told at the next sign-in, and by mail where there is a mailer; \(mail)"]),
      ReportItem(
        Self.nist + "4.6", "there can be two addresses at least, and each notice goes to all",
        .outside, ["the host's mail system knows the addresses: aliases(5)"]),
      ReportItem(
        Self.nist + "4.6", "a notice says what to do, and whom to turn to, where it was another",
        .outside,
        [
          "each mail says to tell an administrator at once; replies go to root or to mfa: aliases(5) "
            + "has to name somebody who reads them"
        ]),
    ]
  }

  // MARK: PCI DSS

  /// Multi-factor authentication for the cardholder data environment.
  var cardData: [ReportItem] {
    let gaps =
      names(unenforced, "the second factor is not enforced")
      + names(optional, "who has not enrolled is let in without one")
    let memory =
      names(scopes(where: .remember, isNot: "off"), "a code that is remembered is not asked for")
      + names(scopes(where: .freshFor, isNot: "off"), "a code that is remembered is not asked for")
    let unasked =
      facts.asking.isEmpty
      ? ["no service asks the module"]
      : facts.hasSSHD && !facts.asking.contains("sshd") ? ["sshd does not ask the module"] : []
    let ways = facts.openings
    let isRequired: ReportItem.Status = (gaps + ways).isEmpty ? .met : .notMet
    let isAsked: ReportItem.Status = (gaps + unasked + ways).isEmpty ? .met : .notMet
    let isComplete: ReportItem.Status = (gaps + memory + ways).isEmpty ? .met : .notMet
    let settings = enforcement + settings(.enrollment)
    let services =
      unasked + ways
      + (facts.asking.isEmpty
        ? [] : ["services that ask the module: \(facts.asking.joined(separator: ", "))"])
    let issued = facts.count("bypass-made")
    return [
      ReportItem(
        Self.pci + "8.4.1",
        "administrators are asked for two factors wherever they enter the cardholder data "
          + "environment, but at its consoles", isAsked, settings: settings, gaps + services),
      ReportItem(
        Self.pci + "8.4.2", "so is everybody else who enters that environment", isAsked,
        settings: settings,
        gaps + services + ["exempt is who signs in by what withstands phishing alone"]),
      ReportItem(
        Self.pci + "8.4.3",
        "so is everybody who comes from a network of others, and could get at that environment",
        isAsked, settings: settings, gaps + services),
      ReportItem(
        Self.pci + "8.5.1", "what was seen once cannot be used again",
        unenforced.isEmpty ? .met : .notMet, settings: enforcement,
        ["an accepted code is never accepted again"]
          + names(unenforced, "a code that was used does not keep anybody out")),
      ReportItem(
        Self.pci + "8.5.1",
        "nobody gets round it, no administrator either, but by an exception that is documented, "
          + "authorised by the management and limited in time", isRequired, settings: settings,
        gaps + ways + [
          "each bypass code has a reason and an end; made: \(issued), used: "
            + "\(facts.count("bypass-used")), good now: \(facts.bypasses)",
          "whether somebody authorised them is for their reasons to show: mfa-admin ledger show",
        ]),
      ReportItem(
        Self.pci + "8.5.1", "two different kinds of factors are asked for", .outside,
        ["the PAM stack asks for the password or the key: mfa-admin doctor looks at it"]),
      ReportItem(
        Self.pci + "8.5.1", "all of them have to be right before anybody is let in", isComplete,
        settings: settings + self.settings(.remember) + self.settings(.freshFor),
        gaps + memory + ways + ["every error is a denial; the order is the PAM stack's"]),
    ]
  }
}
