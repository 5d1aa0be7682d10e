import Glibc

/// The user's other sessions on this host, as systemd-logind reports them.
enum OtherSessions {
  private static let program = "/usr/bin/loginctl"

  /// Ends the other sessions and reports the result to the user. A failure here is not an error,
  /// because the factor has already been removed.
  static func end(telling interface: UserInterface) {
    // SAFETY: the string is valid for the call.
    guard unsafe access(program, X_OK) == 0,
      let list = run(["--no-legend", "--no-pager", "list-sessions"])
    else {
      return interface.tell("your other sessions on this host go on: end them yourself")
    }
    // Without this variable, this session cannot be distinguished from the others.
    guard let present = variable("XDG_SESSION_ID") else {
      return interface.tell("your other sessions on this host go on: end them yourself")
    }
    var ended = 0
    var left = 0
    for session in sessions(in: list, of: getuid(), except: present) {
      if run(["terminate-session", session]) == nil { left += 1 } else { ended += 1 }
    }
    if ended > 0 { interface.tell("\(ended) other sessions on this host were ended") }
    if left > 0 {
      interface.tell("\(left) other sessions could not be ended: end them yourself")
    }
  }

  /// Returns the sessions of `user` in the output of loginctl, whose columns are the identifier,
  /// the user id, and more. Skips a line whose first word is not an identifier, because loginctl could
  /// take the word for an option.
  static func sessions(in list: String, of user: UInt32, except present: String) -> [String] {
    list.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ", omittingEmptySubsequences: true).map(String.init)
      guard words.count >= 2, words[1] == String(user), words[0] != present,
        words[0].utf8.allSatisfy({ isLetterOrDigit($0) })
      else { return nil }
      return words[0]
    }
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"):
      true
    default: false
    }
  }

  private static func variable(_ name: String) -> String? {
    // SAFETY: the string that getenv returns is copied at once.
    guard let value = unsafe getenv(name) else { return nil }
    return unsafe String(cString: value)
  }

  /// Returns the output of loginctl, or nil if it fails.
  private static func run(_ arguments: [String]) -> String? {
    var ends: [Int32] = [-1, -1]
    // SAFETY: the call writes two numbers.
    guard unsafe pipe(&ends) == 0 else { return nil }
    let (reading, writing) = (ends[0], ends[1])
    // The program inherits only the copy that is its standard output.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(reading) }
    let process = start([program] + arguments, output: writing)
    // While this process holds the writing end, reading never reaches the end of the pipe.
    close(writing)
    guard let process else { return nil }
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      // SAFETY: the call writes at most as many bytes as the buffer has.
      let count = unsafe read(reading, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { break }
      output += buffer[..<count]
    }
    var status: Int32 = 0
    // SAFETY: the call writes `status`, which outlives it.
    while unsafe waitpid(process, &status, 0) < 0 {
      guard errno == EINTR else { return nil }
    }
    return status == 0 ? String(decoding: output, as: UTF8.self) : nil
  }

  /// Starts the program whose path is the first of `arguments`, without input and with the
  /// environment of this process. Returns nil if that is not possible.
  private static func start(_ arguments: [String], output: Int32) -> pid_t? {
    // SAFETY: libc initialises and destroys each of the two objects once; they do not move in
    // between. The calls copy the strings.
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    // The program must not inherit the signals that `TerminalGuard` blocks.
    var none = sigset_t()
    unsafe sigemptyset(&none)
    let prepared = unsafe [
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0),
      posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO),
      posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0),
      posix_spawnattr_setsigmask(&attributes, &none),
      posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK)),
    ]
    guard prepared.allSatisfy({ $0 == 0 }) else { return nil }
    // SAFETY: the copies are freed after the call, and the vector ends with null. No other thread
    // changes the environment.
    var vector = unsafe arguments.map { unsafe strdup($0) }
    defer { unsafe vector.forEach { unsafe free($0) } }
    unsafe vector.append(nil)
    var process: pid_t = 0
    let failure = unsafe posix_spawn(
      &process, program, &actions, &attributes, vector, environ)
    return failure == 0 ? process : nil
  }
}
