import Foundation

/// A PAM application that signs a user in; see pam-client/main.c.
package enum PAMClient {
  /// The application's answer to a prompt.
  package enum Answer: Sendable, CustomStringConvertible {
    /// Text as typed by a user.
    case text(String)

    /// Raw bytes; PAM ends the answer at the first 0.
    case bytes([UInt8])

    /// A response without text.
    case noText

    /// The conversation fails, as when the user disconnects.
    case failure

    /// PAM_SUCCESS, without any response.
    case noAnswers

    /// PAM_SUCCESS, with the response pointer unchanged.
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

    /// The answer, shortened if it is long.
    package var description: String {
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

  /// How the application behaves, apart from its answers.
  package struct Options: Sendable {
    /// A folder with service files, instead of /etc/pam.d.
    package var serviceFolder: String?

    /// The client's host (PAM_RHOST).
    package var remoteHost: String?

    /// The terminal (PAM_TTY).
    package var terminal: String?

    /// The requesting user (PAM_RUSER).
    package var remoteUser: String?

    /// Whether the module must show no messages (PAM_SILENT).
    package var isSilent = false

    /// Whether to call pam_acct_mgmt after successful authentication.
    package var asksAccount = false

    /// Whether to set credentials, if all earlier calls succeeded.
    package var setsCredentials = false

    /// Whether to open and close a session, if all earlier calls succeeded.
    package var opensSession = false

    /// The number of sign-ins in one process.
    package var times = 1

    /// Whether to initialise OpenSSL before loading any module, as sshd does.
    package var startsOpenSSL = false

    /// Reports the process state, and whether a file whose path contains this text is mapped.
    package var observedFile: String?

    /// Whether to count SIGCHLD signals and look for children to wait for.
    package var watchesChildren = false

    /// Whether to sleep after failures, as modules request.
    package var delaysFailures = false

    /// How far the application's clock is ahead of the machine's, in seconds.
    package var clockOffset = 0

    /// Only authentication, once.
    package init() {}

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

  /// Signs in once, or as often as the options specify, and returns the outcome. The application's
  /// command line is appended to `wrapper`.
  package static func signIn(
    service: String, user: String, answers: [Answer] = [], options: Options = Options(),
    as identity: Identity = .current, environment: [String: String] = [:],
    through wrapper: [String] = [], deadline: Deadline = .long
  ) throws(HarnessFailure) -> PAMOutcome {
    let command = try Command.run(
      wrapper + [try path(), service, user] + options.arguments,
      input: answers.flatMap(\.frame), as: identity, environment: environment, deadline: deadline)
    return try PAMOutcome(
      status: command.status, output: command.output, errors: command.errorText)
  }

  /// Returns the path of the program, which every user may run.
  package static func path() throws(HarnessFailure) -> String {
    try CompiledProgram.path("pam-client", libraries: ["pam", "dl"])
  }
}

extension MachineUser {
  /// Signs the user in to a service with these answers.
  package func signIn(
    to service: String, typing answers: String...
  ) throws(HarnessFailure) -> PAMOutcome {
    try PAMClient.signIn(service: service, user: name, answers: answers.map { .text($0) })
  }
}
