import MFAPAMStack
import MFADoctor
import MFATestSupport
import Testing

@Suite("What a stack does for a claimant")
struct StackEffectTests {
  private func effect(
    _ lines: String, _ claimant: Claimant, type: StackType = .auth, service: String = "s",
    files: [String: String] = [:]
  ) throws -> StackEffect {
    var source = MemoryStacks(files: files)
    source.files[service] = lines + "\n"
    let name = Array(service.utf8)
    return StackEffect(
      of: name, type, try ServiceStack(type, of: name, from: source), for: claimant)
  }

  private static let common =
    "auth [success=1 default=ignore] pam_unix.so nullok\nauth requisite pam_deny.so\n"
    + "auth required pam_permit.so"

  struct Row: CustomTestStringConvertible, Sendable {
    let number: Int
    let lines: String
    var service = "s"
    /// The lines that are named, counted from 1.
    var skipping: [Int] = []
    var ignoring: [Int] = []
    var testDescription: String { "row \(number)" }
  }

  static let rows: [Row] = [
    Row(number: 1, lines: "@include common\nauth required pam_mfa.so"),
    Row(number: 2, lines: "@include common\nauth requisite pam_mfa.so"),
    Row(number: 3, lines: "auth sufficient pam_unix.so\nauth required pam_mfa.so", skipping: [1]),
    Row(number: 4, lines: "auth required pam_unix.so\nauth optional pam_mfa.so", ignoring: [2]),
    Row(
      number: 5,
      lines:
        "auth required pam_unix.so\nauth required pam_mfa.so\nauth [default=reset] pam_env.so\n"
        + "auth required pam_permit.so", ignoring: [3]),
    Row(
      number: 6,
      lines: "auth required pam_unix.so\nauth [success=1 default=ignore] pam_succeed_if.so user "
        + "ingroup robots\nauth required pam_mfa.so", skipping: [2]),
    Row(
      number: 7,
      lines: "auth required pam_unix.so\nauth [success=1 default=ignore] pam_succeed_if.so quiet "
        + "service = t\nauth required pam_mfa.so"),
    Row(
      number: 8,
      lines: "auth required pam_unix.so\nauth [success=1 default=ignore] pam_succeed_if.so quiet "
        + "service in t:s\nauth required pam_mfa.so", skipping: [2]),
    Row(
      number: 9, lines: "auth sufficient pam_fprintd.so\n@include common\nauth required pam_mfa.so",
      skipping: [1]),
    Row(
      number: 10, lines: "auth sufficient pam_rootok.so\n@include common\nauth required pam_mfa.so"),
    // A wrong password jumps over the module, to a line that always denies.
    Row(
      number: 11,
      lines:
        "auth [success=ignore default=1] pam_unix.so\nauth [success=1 default=bad] pam_mfa.so\n"
        + "auth requisite pam_deny.so\nauth required pam_permit.so"),
    Row(
      number: 12,
      lines: "auth [success=ignore authinfo_unavail=1 default=die] pam_sss.so\n"
        + "auth required pam_mfa.so\nauth required pam_permit.so", skipping: [1]),
    // `done` ends only the substack.
    Row(number: 13, lines: "auth substack sub\nauth required pam_mfa.so"),
    Row(number: 14, lines: "auth include sub\nauth required pam_mfa.so", skipping: [1]),
    // A jump that reaches beyond the end denies.
    Row(
      number: 15, lines: "auth [success=5 default=die] pam_unix.so\nauth required pam_mfa.so"),
    Row(
      number: 16,
      lines: "auth required pam_unix.so\nauth [success=ok module_unknown=ignore default=die] "
        + "pam_other.so\nauth [success=ok default=ignore] pam_mfa.so", ignoring: [3]),
    Row(
      number: 17, lines: "auth sufficient pam_unheard_of.so\nauth required pam_mfa.so",
      skipping: [1]),
    Row(
      number: 18,
      lines: "auth required pam_unix.so\nauth [success=done default=die] pam_mfa.so\n"
        + "auth required pam_deny.so"),
    Row(
      number: 19,
      lines: "auth required pam_unix.so\nauth [success=1 default=ignore] pam_mfa.so\n"
        + "auth requisite pam_deny.so\nauth required pam_permit.so"),
  ]

  @Test("a claimant without a code signs in only through the lines that are named", arguments: rows)
  func withoutCode(row: Row) throws {
    let effect = try effect(
      row.lines, Claimant([.password, .other]), service: row.service,
      files: ["common": Self.common + "\n", "sub": "auth sufficient pam_unix.so\n"])
    #expect(effect.lines(effect.skipping) == row.skipping, "row \(row.number): skipping")
    #expect(effect.lines(effect.ignoring) == row.ignoring, "row \(row.number): ignoring")
    #expect(effect.canSucceed == !(row.skipping + row.ignoring).isEmpty, "row \(row.number)")
  }

  @Test(
    "a claimant without authenticators is denied, one with all of them allowed, unless the stack prevents it",
    arguments: [
      (1, "@include common\nauth required pam_mfa.so", false, true),
      (2, "auth required pam_permit.so\nauth sufficient pam_mfa.so", true, true),
      (3, "@include common\nauth required pam_deny.so\nauth required pam_mfa.so", false, false),
      (4, "auth [success=2 default=die] pam_unix.so\nauth required pam_mfa.so", false, false),
      (5, "auth required pam_mfa.so", false, true),
      (6, "auth sufficient pam_mfa.so", false, true),
      (7, "auth sufficient pam_permit.so", true, true),
    ] as [(Int, String, Bool, Bool)])
  func extremes(row: Int, lines: String, nothing: Bool, all: Bool) throws {
    let files = ["common": Self.common + "\n"]
    #expect(try effect(lines, Claimant([]), files: files).canSucceed == nothing, "row \(row)")
    let everything = Claimant([.password, .code, .other])
    #expect(try effect(lines, everything, files: files).canSucceed == all, "row \(row)")
  }

  @Test("a user who need not enrol signs in with the password, unless no other line counts")
  func notRequired() throws {
    let claimant = Claimant([.password], .notRequired)
    #expect(try effect("auth required pam_unix.so\nauth required pam_mfa.so", claimant).canSucceed)
    #expect(try !effect("auth required pam_mfa.so", claimant).canSucceed)
  }

  @Test("where the module cannot be loaded, sign-ins fail unless the line leaves that out")
  func notLoaded() throws {
    var claimant = Claimant([.password, .code])
    claimant.unloadable = [Array("pam_mfa.so".utf8)]
    let lines = "auth required pam_unix.so\nauth"
    #expect(try !effect("\(lines) required pam_mfa.so", claimant).canSucceed)
    #expect(
      try effect("\(lines) [success=ok module_unknown=ignore default=die] pam_mfa.so", claimant)
        .canSucceed)
  }

  @Test("the calls on a way to success are counted")
  func calls() throws {
    let claimant = Claimant([.password, .code])
    let lines = "auth required pam_unix.so\nauth required pam_mfa.so\n"
    #expect(try effect(lines, claimant).calls == 1)
    #expect(try effect(lines + "auth required pam_mfa.so", claimant).calls == 2)
    #expect(
      try effect(
        "auth required pam_unix.so\nauth [success=1 default=die] pam_mfa.so\n"
          + "auth required pam_mfa.so\nauth required pam_permit.so", claimant
      ).calls == 1)
  }

  @Test("who must enrol is denied by an account line, unless the stack ignores it")
  func account() throws {
    let claimant = Claimant([.password], .required)
    func lines(_ text: String) throws -> StackEffect { try effect(text, claimant, type: .account) }
    #expect(try !lines("account required pam_mfa.so\naccount required pam_unix.so").canSucceed)
    let skipped = try lines("account sufficient pam_unix.so\naccount required pam_mfa.so")
    #expect(skipped.lines(skipped.skipping) == [1])
    let ignored = try lines("account required pam_unix.so\naccount sufficient pam_mfa.so")
    #expect(ignored.lines(ignored.ignoring) == [2])
  }

  @Test("a line with after_key applies to sign-ins with a key only")
  func afterKey() throws {
    let top = "auth [success=done ignore=ignore default=die] pam_mfa.so after_key\n"
    let lines = top + Self.common + "\nauth requisite pam_mfa.so after_password"
    for authenticators: Claimant.Authenticators in [
      [.password, .other], [.password, .other, .key],
    ] {
      let effect = try effect(lines, Claimant(authenticators))
      #expect(!effect.canSucceed && effect.skipping.isEmpty && effect.ignoring.isEmpty)
    }
    #expect(try !effect(lines, Claimant([.code, .other])).canSucceed)
    let withKey = try effect(lines, Claimant([.code, .other, .key]))
    #expect(withKey.canSucceed && withKey.calls == 1)
    let withPassword = try effect(lines, Claimant([.code, .password]))
    #expect(withPassword.canSucceed && withPassword.calls == 1)
    // Users without a factor need their password also after a key.
    #expect(try !effect(lines, Claimant([.key], .notRequired)).canSucceed)
    #expect(try effect(lines, Claimant([.key, .password], .notRequired)).canSucceed)
    // Alone, the line leaves out all sign-ins without a key.
    #expect(try effect(top + Self.common, Claimant([.password])).canSucceed)
    #expect(try !effect(top + Self.common, Claimant([.password, .key])).canSucceed)
    var unloaded = Claimant([.code, .password, .other, .key])
    unloaded.unloadable = [Array("pam_mfa.so".utf8)]
    #expect(try !effect(lines, unloaded).canSucceed)
  }

  @Test("whatever the modules return, a success of the stack is found")
  func agreesWithRuns() throws {
    var generator = SeededGenerator(seed: 14)
    let controls = [
      "required", "requisite", "sufficient", "optional", "[success=1 default=ignore]",
      "[success=2 default=bad]", "[success=ok default=1]", "[default=reset]",
      "[success=done default=die]", "[auth_err=ignore default=ok]",
    ]
    let modules = ["pam_unix.so", "pam_mfa.so", "pam_permit.so", "pam_deny.so", "pam_x.so"]
    var successes = 0
    for number in 0..<500 {
      let lines = (0..<Int.random(in: 1...6, using: &generator)).map { _ in
        "auth \(controls.randomElement(using: &generator) ?? "") "
          + (modules.randomElement(using: &generator) ?? "")
      }.joined(separator: "\n")
      let stack = try ServiceStack(
        .auth, of: Array("s".utf8), from: MemoryStacks(files: ["s": lines + "\n"]))
      let machine = StackMachine(stack)
      let effect = try effect(lines, Claimant([.password]))
      for _ in 0..<20 {
        var state = machine.start
        while !machine.isAtEnd(state) {
          let entry = machine.entries[state.index]
          let codes: [PAMReturnCode] =
            switch ModuleKind(entry) {
            case .code: [.authenticationError, .maximumTries]
            case .permission: [.success]
            case .denial: [.authenticationError]
            case _: [.success, .authenticationError, .userUnknown, .ignore]
            }
          state = machine.next(state, codes.randomElement(using: &generator) ?? .abort)
        }
        guard state.outcome.code == .success else { continue }
        successes += 1
        #expect(effect.canSucceed, "stack \(number): \(lines)")
        guard stack.entries.contains(where: { ModuleKind($0) == .code }) else { continue }
        #expect(!effect.skipping.isEmpty || !effect.ignoring.isEmpty, "stack \(number): \(lines)")
      }
    }
    #expect(successes > 250)
  }
}

extension StackEffect {
  /// The numbers of the lines of the steps, in the file of the service or, for included lines, of
  /// the line that includes them.
  fileprivate func lines(_ steps: [Step]) -> [Int] {
    steps.map { step in entries[step.index].position.line }
  }
}
