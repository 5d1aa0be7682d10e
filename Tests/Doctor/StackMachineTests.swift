import MFAPAMStack
import MFADoctor
import MFATestSupport
import Testing

@Suite("The result of a stack")
struct StackMachineTests {
  /// Random stacks of pam_debug.so, which returns what its argument says.
  private struct RandomStack {
    private static let actions = ["ignore", "ok", "done", "bad", "die", "reset", "1", "2", "3"]
    private static let words = ["required", "requisite", "sufficient", "optional"]
    private static let codes = PAMReturnCode.allCases.filter { $0 != .incomplete }

    private var generator: SeededGenerator
    /// The content of each service file.
    private(set) var files: [String: String] = [:]

    init(seed: UInt64) {
      generator = SeededGenerator(seed: seed)
      for name in ["inner", "outer", "s"] {
        let count = Int.random(in: name == "s" ? 1...8 : 0...5, using: &generator)
        files[name] = (0..<count).map { _ in line(in: name) }.joined(separator: "\n") + "\n"
      }
    }

    private mutating func line(in file: String) -> String {
      let included = file == "s" ? ["outer", "inner"] : file == "outer" ? ["inner"] : []
      if let name = included.randomElement(using: &generator), Bool.oneIn(4, &generator) {
        return Bool.oneIn(2, &generator) ? "auth include \(name)" : "auth substack \(name)"
      }
      let code = Bool.oneIn(2, &generator) ? .success : codes(1)[0]
      return "auth \(control()) pam_debug.so auth=\(code.name)"
    }

    private mutating func codes(_ count: Int) -> [PAMReturnCode] {
      Array(Self.codes.shuffled(using: &generator).prefix(count))
    }

    private mutating func control() -> String {
      if Bool.oneIn(2, &generator) { return Self.words.randomElement(using: &generator) ?? "" }
      let named: [StaticString] = ["success", "ignore", "auth_err"] + codes(2).map(\.name)
      var pairs = named.filter { _ in Bool.oneIn(2, &generator) }.map { "\($0)=\(action())" }
      // libpam uses the first of several, and `bad` if there is none.
      for _ in 0..<Int.random(in: 0...2, using: &generator) { pairs.append("default=\(action())") }
      if pairs.isEmpty { pairs.append("success=ok") }
      return "[\(pairs.shuffled(using: &generator).joined(separator: " "))]"
    }

    private mutating func action() -> String { Self.actions.randomElement(using: &generator) ?? "" }
  }

  /// What the machine says of a stack of pam_debug.so.
  private func result(_ stack: ServiceStack) throws -> (code: PAMReturnCode, calls: Int) {
    let machine = StackMachine(stack)
    var state = machine.start
    var calls = 0
    while !machine.isAtEnd(state) {
      guard case .module(_, let arguments, _) = machine.entries[state.index].kind,
        let word = arguments.first
      else { throw HarnessFailure("a line without an argument") }
      let code = try #require(
        PAMReturnCode.allCases.first { "auth=\($0.name)" == String(decoding: word, as: UTF8.self) })
      calls += 1
      state = machine.next(state, code)
    }
    return (state.outcome.code, calls)
  }

  @Test("libpam takes a carriage return for a part of the module's name", .privateMachine)
  func carriageReturn() throws {
    try Machine.use { machine in
      for (text, succeeds) in [
        ("auth required pam_permit.so\r\n", false), ("# x\r\nauth required pam_permit.so\n", true),
      ] {
        try machine.write(text, to: "/etc/pam.d/s")
        let outcome = try PAMClient.signIn(service: "s", user: "root")
        #expect((outcome.code == "PAM_SUCCESS") == succeeds, "\(outcome)")
      }
    }
  }

  @Test("libpam comes to the same result, through the same lines", .privateMachine)
  func agreesWithLibpam() throws {
    try Machine.use { machine in
      var results: Set<String> = []
      for seed in 0..<600 {
        let random = RandomStack(seed: UInt64(seed))
        for (name, text) in random.files { try machine.write(text, to: "/etc/pam.d/\(name)") }
        try machine.write("auth required pam_deny.so\n", to: "/etc/pam.d/other")
        let stack = try ServiceStack(
          .auth, of: Array("s".utf8), from: MemoryStacks(files: random.files))
        guard !stack.entries.isEmpty else { continue }
        let expected = try result(stack)
        let outcome = try PAMClient.signIn(service: "s", user: "root")
        let code = try #require(outcome.results.first?.code)
        results.insert(code)
        // The header and the controls of service files name this code differently.
        let name = code.lowercased().replacing("recovery_err", with: "recover_err")
        #expect(name == "pam_\(expected.code.name)", "seed \(seed): \(random.files)")
        #expect(outcome.messages.count == expected.calls, "seed \(seed): \(random.files)")
      }
      #expect(results.count > 10, "\(results)")
    }
  }
}

extension Bool {
  /// True in one of `count` cases.
  fileprivate static func oneIn(_ count: Int, _ generator: inout SeededGenerator) -> Bool {
    Int.random(in: 0..<count, using: &generator) == 0
  }
}
