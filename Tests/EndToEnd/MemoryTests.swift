import Foundation
import MFATestSupport
import Testing

extension EndToEnd {
  /// The installed module under valgrind's memcheck: no invalid or uninitialised memory is used,
  /// and none is leaked.
  @Suite(.enabled("valgrind is not installed") { Valgrind.isInstalled })
  struct Memory {
    /// Signs in once, and expects no memory errors.
    func expectClean(
      _ service: String, _ user: String, _ answers: [PAMClient.Answer], _ code: String,
      on machine: Machine, asksAccount: Bool = false
    ) throws {
      var options = PAMClient.Options()
      options.asksAccount = asksAccount
      let (outcome, errors) = try Valgrind.memcheck(on: machine) { wrapper throws(HarnessFailure) in
        try PAMClient.signIn(
          service: service, user: user, answers: answers, options: options, through: wrapper)
      }
      #expect(outcome.code == code, "\(outcome)")
      #expect(errors.isEmpty, "\(errors)")
    }

    @Test("verifying codes causes no memory errors", arguments: ["", "debug"])
    func codes(arguments: String) throws {
      try machine.writeConfiguration("[project]\nthrottle_after = 2\n")
      let (user, enrollment) = try machine.addEnrolledUser()
      let service = try machine.makeService(["auth required pam_mfa.so tries=1 \(arguments)"])
      let code = try enrollment.phone.code()
      for (typed, expected) in [
        (code, "PAM_SUCCESS"), (code, "PAM_AUTH_ERR"), ("", "PAM_AUTH_ERR"),
        ("000001", "PAM_AUTH_ERR"), ("000000", "PAM_AUTH_ERR"), ("000000", "PAM_AUTH_ERR"),
      ] { try expectClean(service, user.name, [.text(typed)], expected, on: machine) }
      try expectClean(service, user.name, [], "PAM_AUTH_ERR", on: machine)
      try expectClean(service, "nobody0", [.text("000000")], "PAM_AUTH_ERR", on: machine)
    }

    @Test("recovery codes and bypass codes cause no memory errors")
    func recovery() throws {
      let (user, enrollment, service) = try machine.addSignIn()
      let codes = try Recovery().makeCodes(user, presentCode: try enrollment.phone.code())
      try expectClean(
        service, user.name, [.text(try #require(codes.first))], "PAM_SUCCESS", on: machine)
      let bypass = try machine.mustAdminister("bypass", user.name, "--reason", "test", "--json")
        .text
      let code = try #require(bypass.firstMatch(of: Recovery.code)).output.0
      try expectClean(service, user.name, [.text(String(code))], "PAM_SUCCESS", on: machine)
    }

    @Test("enrolment during a sign-in causes no memory errors")
    func enrollment() throws {
      let user = try machine.addUser()
      try machine.writeConfiguration("[project]\nenrollment = required\n")
      let service = try machine.makeService([
        "auth required pam_permit.so", "auth required pam_mfa.so tries=1",
        "account required pam_mfa.so",
      ])
      let (outcome, errors) = try Valgrind.memcheck(on: machine) {
        wrapper throws(HarnessFailure) in
        try enroll(user, service, through: wrapper)
      }
      #expect(outcome.code == "PAM_SUCCESS", "\(outcome)")
      #expect(errors.isEmpty, "\(errors)")
    }

    func enroll(
      _ user: MachineUser, _ service: String, through wrapper: [String]
    ) throws(HarnessFailure) -> PAMOutcome {
      let session = try PAMSession(service: service, user: user.name, through: wrapper)
      _ = try session.question()
      session.answer(.text("3"))
      guard let shown = try session.question(),
        let url = shown.firstMatch(of: /(otpauth:[^\n]+)\n/)
      else { throw HarnessFailure("no key was shown") }
      let phone = try Authenticator(url: String(url.output.1))
      session.answer(.text(try phone.code(offset: -1)))
      // The name of the device, and the recovery codes.
      while try session.question() != nil { session.answer(.text("")) }
      return try session.finish()
    }

    @Test("users without a factor, and forward_pass, cause no memory errors")
    func notEnrolled() throws {
      let user = try machine.addUser()
      let (enrolled, enrollment) = try machine.addEnrolledUser()
      let plain = try machine.makeService(OneCode.stack)
      try expectClean(plain, user.name, [], "PAM_PERM_DENIED", on: machine)
      // The stack's only `account` line is the module's, which returns PAM_IGNORE.
      let forwarding = try machine.makeService(CodeBeforePassword.stack)
      for (who, typed, expected) in [
        (user, user.password, "PAM_PERM_DENIED"), (user, "wrong000000", "PAM_AUTH_ERR"),
        (enrolled, enrolled.password + "000000", "PAM_AUTH_ERR"),
        (enrolled, enrolled.password + (try enrollment.phone.code()), "PAM_SUCCESS"),
      ] {
        try expectClean(
          forwarding, who.name, [.text(typed)], expected, on: machine, asksAccount: true)
      }
    }
  }
}

/// The functions of the module, and the trap instructions in each of them.
struct ModuleCode {
  /// A function and the number of trap instructions (`ud2`, `brk`) in it.
  struct Function {
    /// The symbol, in the form that `swift demangle` reads.
    let name: String
    /// The address of the first instruction.
    let start: Int
    var traps = 0
  }

  /// The functions in the order of their addresses.
  private var functions: [Function] = []

  /// Disassembles a file that has the names of its functions.
  init(of path: String) throws {
    let code = try Command.succeed(["/usr/bin/objdump", "-d", "--no-show-raw-insn", path])
    for line in code.utf8.split(separator: UInt8(ascii: "\n")) {
      if line.last == UInt8(ascii: ":"), let end = line.firstIndex(of: UInt8(ascii: " ")),
        let start = Int(String(decoding: line[..<end], as: UTF8.self), radix: 16)
      {
        // Embedded Swift begins its symbols with $e instead of $s.
        let name = String(decoding: line[end...].dropFirst(2).dropLast(2), as: UTF8.self)
        functions.append(
          Function(name: name.hasPrefix("$e") ? "$s" + name.dropFirst(2) : name, start: start))
      } else if Self.isTrap(line), !functions.isEmpty {
        functions[functions.count - 1].traps += 1
      }
    }
  }

  private static func isTrap(_ line: Substring.UTF8View.SubSequence) -> Bool {
    let parts = line.split(separator: UInt8(ascii: "\t"))
    guard parts.count > 1 else { return false }
    return parts[1].starts(with: "ud2".utf8) || parts[1].elementsEqual("brk".utf8)
  }

  /// The number of traps in all functions.
  var traps: Int { functions.reduce(0) { $0 + $1.traps } }

  /// Returns the functions that contain at least one of the addresses, those with the most traps
  /// first.
  func functions(at addresses: Set<Int>) -> [Function] {
    var found: [Function] = []
    let sorted = addresses.sorted()
    var next = sorted.startIndex
    for (index, function) in functions.enumerated() {
      let end = index + 1 < functions.count ? functions[index + 1].start : Int.max
      while next < sorted.endIndex, sorted[next] < function.start { next += 1 }
      if next < sorted.endIndex, sorted[next] < end { found.append(function) }
    }
    return found.sorted { $0.traps > $1.traps }
  }
}

/// Command lines of valgrind.
enum Valgrind {
  static let path = "/usr/bin/valgrind"

  static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: path) }

  /// The helper that is counted. valgrind runs no program with a setuid bit.
  private static let countedHelper = "/usr/lib/mfa/mfa-helper.counted"
  /// Where callgrind writes a file for each process.
  private static let counts = "/run/mfa-helper-counts"

  /// Runs `body` while callgrind counts the instructions of each helper that an application of root starts; returns
  /// its result and their sum.
  static func instructionsOfHelpers<Result>(
    on machine: Machine, _ body: () throws(HarnessFailure) -> Result
  ) throws -> (Result, Int) {
    let helper = HelperSession.program
    try Command.succeed(["/usr/bin/install", "-m", "0755", helper, countedHelper])
    try Command.succeed(["/usr/bin/install", "-d", "-o", "mfa", "-m", "0700", counts])
    let aside = helper + ".aside"
    try Command.succeed(["/bin/mv", helper, aside])
    // What the setuid bit does: the caller stays the real user.
    try Command.succeed(
      ["/usr/bin/install", "-m", "0755", "/dev/stdin", helper],
      input: Array(
        """
        #!/usr/bin/python3 -I
        import os, pwd
        user = pwd.getpwnam("mfa")
        os.setgroups([])
        os.setresgid(user.pw_gid, user.pw_gid, user.pw_gid)
        os.setresuid(0, user.pw_uid, user.pw_uid)
        # /usr/bin/valgrind can be a shell script, and a shell gives up the effective user.
        program = "/usr/bin/valgrind.bin"
        os.execv(program if os.path.exists(program) else "/usr/bin/valgrind", [
            "valgrind", "--tool=callgrind", "--callgrind-out-file=\(counts)/%p", "--quiet",
            "\(countedHelper)"])

        """.utf8))
    defer {
      do {
        try Command.succeed(["/bin/mv", aside, helper])
        try Command.succeed(["/bin/rm", "-r", countedHelper, counts])
      } catch {
        print("the helper was not restored: \(error)")
      }
    }
    let result = try body()
    let text = try Command.succeed(["/bin/sh", "-c", "cat \(counts)/*"])
    let totals = text.split(separator: "\n").filter { $0.hasPrefix("totals: ") }
      .compactMap { Int($0.dropFirst("totals: ".count)) }
    return (result, totals.reduce(0, +))
  }

  /// Runs `body` with the command that records the instructions that the module's `auth` and
  /// `account` functions execute, and returns the addresses of those in the file whose path ends in
  /// `name`. Addresses are relative to the beginning of the file.
  static func executedAddresses(
    in name: String, on machine: Machine, _ body: ([String]) throws -> Void
  ) throws -> Set<Int> {
    let path = machine.folder + "/addresses.out"
    try body([
      Self.path, "--tool=callgrind", "--callgrind-out-file=\(path)",
      "--toggle-collect=pam_sm_authenticate", "--toggle-collect=pam_sm_acct_mgmt",
      "--dump-instr=yes", "--compress-pos=no", "--compress-strings=no", "--quiet",
    ])
    var addresses: Set<Int> = []
    var isInFile = false
    for line in machine.text(of: path)
      .utf8.split(separator: UInt8(ascii: "\n"))
    {
      if line.starts(with: "ob=".utf8) {
        isInFile = line.suffix(name.utf8.count).elementsEqual(name.utf8)
      } else if isInFile, line.starts(with: "0x".utf8),
        let number = line.split(separator: UInt8(ascii: " ")).first,
        let address = Int(String(decoding: number.dropFirst(2), as: UTF8.self), radix: 16)
      {
        addresses.insert(address)
      }
    }
    return addresses
  }

  /// Runs `body` with the command that checks every memory access. Returns its result and
  /// memcheck's findings, which should be empty. Memory that libcrypto and libpam keep until the
  /// process ends is still reachable and therefore no leak, so nothing has to be suppressed.
  static func memcheck<Result>(
    on machine: Machine, _ body: ([String]) throws(HarnessFailure) -> Result
  ) throws -> (Result, String) {
    let path = machine.folder + "/memcheck.out"
    let result = try body([
      Self.path, "--tool=memcheck", "--log-file=\(path)", "--quiet", "--leak-check=full",
      "--show-leak-kinds=definite,indirect,possible", "--errors-for-leak-kinds=definite,possible",
      "--child-silent-after-fork=yes",
    ])
    let text = machine.text(of: path)
    return (result, text)
  }
}
