import Foundation

/// An application that asks PAM whether somebody may sign in, see pam-client/main.c.
public enum PAMClient {
  /// What the application answers when a module asks.
  public enum Answer: Sendable, CustomStringConvertible {
    /// What a person types.
    case text(String)

    /// Bytes as they are; PAM takes them to end at the first 0.
    case bytes([UInt8])

    /// An answer without text.
    case noText

    /// The conversation fails, as when a person hangs up.
    case failure

    /// "Success", without any answer.
    case noAnswers

    /// "Success", with the pointer to the answers left as it was.
    case untouched

    var frame: [UInt8] {
      switch self {
      case .text(let text): Self.counted(Array(text.utf8))
      case .bytes(let bytes): Self.counted(bytes)
      case .noText: [0xff, 0xff, 0xff, 0xff]
      case .failure: [0xff, 0xff, 0xff, 0xfe]
      case .noAnswers: [0xff, 0xff, 0xff, 0xfd]
      case .untouched: [0xff, 0xff, 0xff, 0xfc]
      }
    }

    /// The answer, shortened where it is long.
    public var description: String {
      switch self {
      case .text(let text): text.debugDescription
      case .bytes(let bytes): "\(bytes.count) bytes"
      case .noText: "no text"
      case .failure: "failure"
      case .noAnswers: "no answers"
      case .untouched: "untouched"
      }
    }

    private static func counted(_ bytes: [UInt8]) -> [UInt8] {
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: bytes.count >> $0) } + bytes
    }
  }

  /// What an application does beside answering.
  public struct Options: Sendable {
    /// A folder with service files, in the place of /etc/pam.d.
    public var serviceFolder: String?

    /// Where the person comes from (PAM_RHOST).
    public var remoteHost: String?

    /// The terminal (PAM_TTY).
    public var terminal: String?

    /// Who asks (PAM_RUSER).
    public var remoteUser: String?

    /// Says that no messages are wanted (PAM_SILENT).
    public var isSilent = false

    /// Asks whether the account may be used, once the person has proven who they are.
    public var asksAccount = false

    /// Sets the credentials, if all before succeeded.
    public var setsCredentials = false

    /// Opens and closes a session, if all before succeeded.
    public var opensSession = false

    /// How often it signs in, in one process.
    public var times = 1

    /// Has OpenSSL initialised, as sshd has, before it loads any module.
    public var startsOpenSSL = false

    /// Reports the state of the process, and whether a file whose path contains this is mapped.
    public var observedFile: String?

    /// Counts the children whose end is announced to it, and looks for ones that it finds.
    public var watchesChildren = false

    /// Waits after failures, as modules ask it to.
    public var delaysFailures = false

    /// How far the application's clock is ahead of the machine's, in seconds.
    public var clockOffset = 0

    /// Nothing but the authentication, once.
    public init() {}

    var arguments: [String] {
      var arguments: [String] = []
      let texts = [
        ("--confdir", serviceFolder), ("--rhost", remoteHost), ("--tty", terminal),
        ("--ruser", remoteUser), ("--observe", observedFile),
      ]
      for (option, value) in texts { if let value { arguments += [option, value] } }
      let switches = [
        ("--silent", isSilent), ("--account", asksAccount), ("--setcred", setsCredentials),
        ("--session", opensSession), ("--openssl", startsOpenSSL), ("--fail-delay", delaysFailures),
        ("--watch-children", watchesChildren),
      ]
      for (option, isOn) in switches where isOn { arguments.append(option) }
      return arguments + ["--times", "\(times)", "--clock-offset", "\(clockOffset)"]
    }
  }

  /// Signs in once (or as often as the options say) and reports what happened. `wrapper` is a
  /// command line that the application's own is appended to.
  public static func signIn(
    service: String, user: String, answers: [Answer] = [], options: Options = Options(),
    as identity: Identity = .current, environment: [String: String] = [:],
    through wrapper: [String] = [], deadline: Deadline = .after(seconds: 60)
  ) throws(HarnessFailure) -> PAMOutcome {
    let command = try Command.run(
      wrapper + [try path(), service, user] + options.arguments,
      input: answers.flatMap(\.frame), as: identity, environment: environment, deadline: deadline)
    return try PAMOutcome(
      status: command.status, output: command.output, errors: command.errorText)
  }

  /// Where the program is, which everybody may run.
  public static func path() throws(HarnessFailure) -> String {
    try CompiledProgram.path("pam-client", libraries: ["pam", "dl"])
  }
}
