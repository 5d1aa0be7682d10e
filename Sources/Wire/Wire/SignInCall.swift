import MFABase

/// A line of a service file that calls the module.
package enum ModuleLine: UInt8, Sendable {
  case auth = 1
  case account = 2
  /// The beginning of a session.
  case session = 3
}

/// A sign-in as described by PAM. None of the values is trusted.
package struct SignInRequest: Sendable {
  /// PAM_USER
  package var user: [UInt8]
  /// PAM_SERVICE
  package var service: [UInt8]
  /// PAM_RHOST: an address, a host name, or nothing
  package var remoteHost: [UInt8]?
  /// PAM_TTY
  package var terminal: [UInt8]?
  /// The module's arguments in the service file
  package var arguments: [[UInt8]]

  /// The longest item, in bytes. A longer one is truncated, and a truncated user name matches no account.
  package static let longestItem = 1024
  /// The largest number of arguments. A line of a service file holds fewer.
  package static let maximumArguments: UInt8 = 64

  /// Creates a request.
  package init(
    user: [UInt8], service: [UInt8], remoteHost: [UInt8]? = nil, terminal: [UInt8]? = nil,
    arguments: [[UInt8]] = []
  ) {
    self.user = user
    self.service = service
    self.remoteHost = remoteHost
    self.terminal = terminal
    self.arguments = arguments
  }
}

extension LogLine {
  /// Appends the user, the service, the remote host and the terminal of a sign-in.
  @inline(never)
  package mutating func addSignIn(
    user: [UInt8], service: [UInt8], remoteHost: [UInt8]?, terminal: [UInt8]?
  ) {
    add("user", escaping: user)
    add("service", escaping: service)
    add("rhost", escaping: remoteHost)
    add("tty", escaping: terminal)
  }
}

/// The application's reply to a question.
package enum Reply: ~Copyable {
  /// There is no answer: the application cannot ask, or the user hung up.
  case absent
  /// The answer is longer than any password or code may be. None of it was kept.
  case tooLong
  /// The answer, at most 512 bytes.
  case text(SecretBytes)

  /// The longest answer in bytes: PAM_MAX_RESP_SIZE.
  package static let longest = 512

  /// Reads or writes the reply.
  package mutating func fields(_ coder: inout Coder) throws(PacketError) {
    var kind: UInt8 = 0
    var text = SecretBytes(count: 0)
    switch consume self {
    case .absent: break
    case .tooLong: kind = 2
    case .text(let answer):
      kind = 1
      text = answer
    }
    self = .absent
    try coder.number(&kind)
    switch kind {
    case 0: break
    case 1:
      try coder.secret(&text, longest: Self.longest)
      self = .text(text)
    case 2: self = .tooLong
    case _: throw .malformed
    }
  }
}

/// What the module knows of the application's process, and a decision needs only under some policies.
package struct ApplicationFacts: Equatable, Sendable {
  /// The network address at the other end of the application's connection, as 16 bytes of IPv6, or nil.
  package var peer: [UInt8]?
  /// The session of the process, or nil.
  package var session: [UInt8]?
  /// The sessions that the process may be part of, the innermost first.
  package var enclosingSessions: [[UInt8]] = []
  /// Whether the process leads its session.
  package var leadsSession = false
  /// The name of the controlling terminal, such as `pts/3`, or nil.
  package var terminal: [UInt8]?

  /// Creates facts of which none is known.
  package init() {}

  mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.bytes(&peer, longest: 16)
    try coder.bytes(&session, longest: 255)
    try coder.strings(&enclosingSessions, most: 64, longest: 255)
    try coder.flag(&leadsSession)
    try coder.bytes(&terminal, longest: 255)
  }
}

/// A request of the module: what PAM says about the sign-in, and the answer to the question before.
package struct SignInCall: WireMessage, ~Copyable {
  package static var kind: UInt8 { 0x41 }

  /// The line that called the module.
  package var line = ModuleLine.auth
  /// The sign-in.
  package var request = SignInRequest(user: [], service: [])
  /// Whether the application shows messages that are not essential.
  package var showsMessages = false
  /// True if the locale of the application's user stands for UTF-8 or is unknown.
  package var usesUTF8 = true
  /// The user who runs the application. It is believed only if the application acts as root.
  package var caller: UInt32 = .max
  /// The note that the `auth` line of the same transaction stored, or nil.
  package var note: [UInt8]?
  /// The authentication methods that succeeded before PAM ran, as sshd reports them (SSH_AUTH_INFO_0);
  /// empty if there were none, and nil if the report is too long to be read.
  package var earlierMethods: [UInt8]? = []
  /// What was typed for an earlier module (PAM_AUTHTOK), if the arguments say that it is used.
  package var earlierAnswer = Reply.absent
  /// Facts about the process, after a reply has asked for them.
  package var facts: ApplicationFacts?
  /// What came with the question that `answer` belongs to; empty in the first request.
  package var continuation: [UInt8] = []
  /// The user's answer.
  package var answer = Reply.absent

  /// The longest report of earlier methods that is read, in bytes. It holds several of the longest
  /// keys, as certificates.
  package static let longestMethods = 32_768
  /// The longest continuation in bytes.
  package static let longestContinuation = 4_096

  /// Returns whether a packet is a request of the module.
  package static func begins(_ packet: Span<UInt8>) -> Bool {
    packet.count > 0 && packet[0] == kind
  }

  /// Creates an empty request.
  package init() {}

  /// Takes the user's answer out.
  package mutating func takeAnswer() -> Reply {
    var taken = Reply.absent
    swap(&taken, &answer)
    return taken
  }

  /// Takes out what was typed for an earlier module.
  package mutating func takeEarlierAnswer() -> Reply {
    var taken = Reply.absent
    swap(&taken, &earlierAnswer)
    return taken
  }

  /// Lists the fields.
  package mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.choice(&line)
    try coder.bytes(&request.user, longest: SignInRequest.longestItem)
    try coder.bytes(&request.service, longest: SignInRequest.longestItem)
    try coder.bytes(&request.remoteHost, longest: SignInRequest.longestItem)
    try coder.bytes(&request.terminal, longest: SignInRequest.longestItem)
    try coder.strings(
      &request.arguments, most: SignInRequest.maximumArguments,
      longest: SignInRequest.longestItem)
    try coder.flag(&showsMessages)
    try coder.flag(&usesUTF8)
    try coder.number(&caller)
    try coder.bytes(&note, longest: SignInRequest.longestItem &+ 1)
    try coder.bytes(&earlierMethods, longest: Self.longestMethods)
    try earlierAnswer.fields(&coder)
    var hasFacts = facts != nil
    try coder.flag(&hasFacts)
    if hasFacts {
      var known = facts ?? ApplicationFacts()
      try known.fields(&coder)
      facts = known
    }
    try coder.bytes(&continuation, longest: Self.longestContinuation)
    try answer.fields(&coder)
  }
}
