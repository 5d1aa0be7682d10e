/// What the commands say about recovery codes.
enum RecoveryWords {
  /// The lines above the codes.
  static func heading(_ heading: RecoverySheet.Heading) -> String {
    "Recovery codes for \(heading.account) on \(heading.host), made \(heading.date)\n\n"
  }

  /// The lines below the codes.
  static let advice = """

    Each code signs you in once, when your device is not at hand. Older codes no
    longer work. Keep this sheet apart from your device.

    """

  /// What is said after codes were shown on the screen.
  static let shownOnce = "These codes are not shown again."

  static func saved(_ path: String) -> String { "Your recovery codes are saved in \(path)." }

  static let printed = "Your recovery codes were sent to the printer."

  /// How many codes are left.
  static func left(_ count: Int) -> String {
    switch count {
    case 0: "No recovery codes are left."
    case 1: "1 recovery code is left."
    default: "\(count) recovery codes are left."
    }
  }

  static func imported(_ count: Int) -> String {
    "\(count) of them came from another program and are short."
  }

  static let makeNew = "hint: make new ones with mfa-enroll recovery-codes --new"

  static func notMade(_ reason: String) -> String {
    "You have no recovery codes. \(reason)\n\(makeNew)"
  }

  static let onlyNewCodes =
    "--save and --print need --new, because only new codes can be shown"

  static let noPath = "--save takes the name of a new file"

  static func notSaved(_ path: String) -> Failure {
    Failure(
      "the recovery codes are valid but could not be saved in \(path)",
      hint: "copy them from the screen, or make room and run mfa-enroll recovery-codes --new again")
  }

  static let notPrinted = Failure(
    "the recovery codes are valid but could not be printed",
    hint: "copy them from the screen, or run mfa-enroll recovery-codes --new again")

  static let noPrinter = Failure(
    "this host has no program to print with (lpr or lp)",
    hint: "save the codes with --save FILE, or copy them from the screen")
}
