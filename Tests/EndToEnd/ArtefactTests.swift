import Foundation
import MFATestSupport
import Testing

extension EndToEnd {
  /// The installed files, and their effects on the processes that load or run them.
  @Suite struct Artefacts {
    static let helper = HelperSession.program

    /// The maximum number of trap instructions (`ud2`, `brk`) in the module. Each is a check that the compiler
    /// could not eliminate. The number may fall, but must not grow unnoticed. The last count was 221.
    static let mostTraps = 117

    /// The maximum number of trap instructions in the functions of the module that sign-ins with a code execute.
    /// A trap there ends sshd's child or sudo: the user cannot sign in. A trap in the service or the helper denies
    /// one request.
    ///
    /// callgrind runs real sign-ins with the installed module and records the addresses of the
    /// executed instructions. A file with the same code and with symbols maps the addresses to
    /// functions. Each function counts as a whole, because another sign-in can take another branch
    /// in it. Calls through a table of methods or a closure are found too, which a call graph from a
    /// disassembly would miss.
    static let mostSignInTraps = 73

    /// The maximum number of trap instructions in the functions of the module that an enrolment during a sign-in
    /// executes, counted in the same way.
    static let mostEnrollmentTraps = 73

    func modulePath() throws -> String {
      let found = try Command.succeed([
        "/bin/sh", "-c",
        "ls /usr/lib/*/security/pam_mfa.so /lib/*/security/pam_mfa.so 2>/dev/null || true",
      ])
      return try #require(found.split(separator: "\n").first.map(String.init))
    }

    func readelf(_ option: String, _ path: String) throws -> String {
      try Command.succeed(["/usr/bin/readelf", "-W", option, path])
    }

    // Tests/Packages/binaries.py checks how the files are hardened.

    @Test("the module is small, and its dependencies and exported symbols are minimal")
    func moduleFile() throws {
      let path = try modulePath()
      // 45 KB of code, in pages of 4 KiB.
      try checkFile(path, kibibytes: 70)
      // The application gets no other library, and the module knows no file of the store or the configuration.
      let file = try #require(FileManager.default.contents(atPath: path))
      for text in ["libcrypto", "/etc/mfa", "/var/lib/mfa"] {
        #expect(file.range(of: Data(text.utf8)) == nil, "\(text)")
      }
    }

    func checkFile(_ path: String, kibibytes: Int) throws {
      let size = try Command.succeed(["/usr/bin/stat", "-L", "-c", "%s", path])
      #expect(try #require(Int(size.dropLast())) <= kibibytes * 1024)
      let dynamic = try readelf("-d", path)
      let needed = Set(dynamic.matches(of: /\(NEEDED\).*\[(.+)\]/).map { String($0.output.1) })
      #expect(needed.isSubset(of: ["libpam.so.0", "libc.so.6"]), "\(needed)")
      let exported = try Command.succeed(["/usr/bin/nm", "-D", "--defined-only", path])
        .split(separator: "\n").compactMap { $0.split(separator: " ").last }
        .map { String($0.prefix { $0 != "@" }) }.filter { $0.hasPrefix("pam_sm_") == false }
      // All other symbols are names of symbol versions.
      #expect(
        exported.allSatisfy { $0.hasPrefix("PAM") },
        "\(exported)")
      let sections = try readelf("-S", path)
      #expect(!sections.contains(" .symtab"), "not stripped")
    }

    @Test("the number of trap instructions in the module does not grow")
    func traps() throws {
      let code = try Command.succeed([
        "/usr/bin/objdump", "-d", "--no-show-raw-insn", try modulePath(),
      ])
      let traps = code.split(separator: "\n").count { line in
        line.hasSuffix("\tud2") || line.hasSuffix("ud2    ") || line.contains("\tbrk\t")
      }
      #expect(traps > 0, "the disassembly has an unknown format")
      #expect(traps <= Self.mostTraps)
    }

    @Test(
      "the number of traps in the functions that sign-ins execute does not grow",
      .enabled("valgrind is not installed") { Valgrind.isInstalled })
    func signInTraps() throws {
      let code = try moduleCode()
      try machine.writeConfiguration("[project]\nthrottle_after = 2\n")
      let (user, enrollment) = try machine.addEnrolledUser()
      let unenrolled = try machine.addUser()
      let service = try machine.makeService(OneCode.stack)
      let right = try enrollment.phone.code()
      var addresses: Set<Int> = []
      for (name, answers, result) in [
        (user.name, [right], "PAM_SUCCESS"),
        (user.name, [right], "PAM_AUTH_ERR"),
        (user.name, ["000001"], "PAM_AUTH_ERR"),
        (user.name, ["000000"], "PAM_AUTH_ERR"),
        (user.name, [], "PAM_AUTH_ERR"),
        (unenrolled.name, [], "PAM_PERM_DENIED"),
        ("nobody0", ["000000"], "PAM_AUTH_ERR"),
      ] {
        addresses.formUnion(
          try Valgrind.executedAddresses(in: "/pam_mfa.so", on: machine) { wrapper in
            let outcome = try PAMClient.signIn(
              service: service, user: name, answers: answers.map { .text($0) }, through: wrapper)
            #expect(outcome.code == result, "\(outcome)")
          })
      }
      expectTraps(in: code.functions(at: addresses), atMost: Self.mostSignInTraps)
    }

    @Test(
      "the number of traps in the functions that an enrolment executes does not grow",
      .enabled("valgrind is not installed") { Valgrind.isInstalled })
    func enrollmentTraps() throws {
      let code = try moduleCode()
      let user = try machine.addUser()
      try machine.writeConfiguration("[project]\nenrollment = required\n")
      let service = try machine.makeService([
        "auth required pam_permit.so", "auth required pam_mfa.so tries=1",
        "account required pam_mfa.so",
      ])
      let addresses = try Valgrind.executedAddresses(
        in: "/pam_mfa.so", on: machine
      ) { wrapper in
        let outcome = try Memory().enroll(user, service, through: wrapper)
        #expect(outcome.code == "PAM_SUCCESS", "\(outcome)")
      }
      expectTraps(in: code.functions(at: addresses), atMost: Self.mostEnrollmentTraps)
    }

    /// Returns the functions of the module. Their names come from a file with the same code, because the installed
    /// one has no symbols.
    func moduleCode() throws -> ModuleCode {
      let files = [try modulePath(), Checkout.moduleWithSymbols]
      let contents = try files.map { file in
        // The first lines name the file.
        try Command.succeed(["/usr/bin/objdump", "-s", "-j", ".text", file])
          .split(separator: "\n").dropFirst(2)
      }
      try #require(contents[0].count > 1000, "the file has an unknown format")
      let isSame = contents[0] == contents[1]
      try #require(isSame, "run packaging/build, then packaging/install")
      return try ModuleCode(of: Checkout.moduleWithSymbols)
    }

    func expectTraps(in functions: [ModuleCode.Function], atMost most: Int) {
      let traps = functions.reduce(0) { $0 + $1.traps }
      print("traps: \(traps) in \(functions.count) functions")
      #expect(traps > 0, "no instruction was attributed to a function with a trap")
      let worst = functions.prefix(20).map { "\($0.traps) \($0.name)" }
      #expect(traps <= most, "\(traps) traps:\n\(worst.joined(separator: "\n"))")
    }

    @Test("the module leaves the state of its host process unchanged", arguments: [false, true])
    func host(startsOpenSSL: Bool) throws {
      let (user, enrollment, service) = try machine.addSignIn()
      var options = PAMClient.Options()
      options.observedFile = "pam_mfa.so"
      options.times = 2
      options.startsOpenSSL = startsOpenSSL
      let outcome = try PAMClient.signIn(
        service: service, user: user.name,
        answers: [
          .text(try enrollment.phone.code()), .text(try enrollment.phone.code(offset: 1)),
        ],
        options: options)
      #expect(outcome.results.map(\.code) == ["PAM_SUCCESS", "PAM_SUCCESS"], "\(outcome)")
      let states = outcome.states
      #expect(
        states.map(\.isMapped) == [false, true, false, true, false], "the module was not unloaded"
      )
      #expect(states.map(\.threads) == [1, 1, 1, 1, 1])
      #expect(Set(states.map(\.caughtSignals)).count == 1, "\(states)")
      #expect(Set(states.map(\.ignoredSignals)).count == 1, "\(states)")
      #expect(Set(states.map(\.blockedSignals)).count == 1, "\(states)")
      // libpam keeps its connection to the system log open; no other descriptor stays open or
      // accumulates.
      #expect(states[2].descriptors <= states[0].descriptors + 1, "\(states)")
      #expect(states[2].descriptors == states[4].descriptors, "\(states)")
    }

    @Test("the helper is setuid and setgid to the system user")
    func helperFile() throws {
      #expect(
        try Command.succeed(["/usr/bin/stat", "-c", "%U %G %a", Self.helper]) == "mfa mfa 6755\n")
      // Permitted, but not effective.
      try Command.succeed(["/sbin/setcap", "-q", "-v", "cap_audit_write=p", Self.helper])
    }

    @Test("the helper inherits nothing from its caller, and writes no core file")
    func helperProcess() throws {
      let user = try machine.addUser()
      let session = try HelperSession(
        as: user,
        environment: [
          "LD_PRELOAD": "/tmp/x.so", "SWIFT_DEBUG": "1", "OPENSSL_CONF": "/tmp/x", "MFA": "1",
        ])
      #expect(try session.greet()?.kind == 0x81)
      let process = "/proc/\(session.process.number)"
      let status = try Command.succeed(["/bin/cat", process + "/status"])
      let numbers = try Command.succeed(["/usr/bin/id", "-u", "mfa"]).dropLast()
      let uids = try #require(status.firstMatch(of: /Uid:\t(\d+)\t(\d+)\t(\d+)/)).output
      #expect(uids.2 == numbers && uids.3 == numbers && uids.1 != "0")
      #expect(status.contains("CapEff:\t0000000000000000"))
      #expect(status.contains("Threads:\t1\n"))
      let limits = try Command.succeed(["/bin/cat", process + "/limits"])
      #expect(limits.contains(/Max core file size +0 +0\b/), "\(limits)")
      // In /proc, a dumpable process belongs to its effective user; one that is not dumpable
      // belongs to root.
      #expect(try Command.succeed(["/usr/bin/stat", "-c", "%U", process + "/mem"]) == "root\n")
      #expect(
        try !Command.run(["/bin/cat", process + "/environ"], as: user.identity).status.isSuccess)
      #expect(try Command.succeed(["/usr/bin/readlink", process + "/cwd"]) == "/\n")
      let descriptors = try Command.succeed(["/bin/ls", process + "/fd"]).split(separator: "\n")
      #expect(Set(descriptors).isSuperset(of: ["0", "1", "2"]) && descriptors.count <= 4)
    }

    @Test("users can neither change factors of other users nor read files of the store")
    func separation() throws {
      let (user, enrollment) = try machine.addEnrolledUser()
      let (stranger, own) = try machine.addEnrolledUser()
      let files = StoreFiles(of: user.name)
      let before = try files.image()
      for path in [files.record, files.attempts, "/etc/mfa/key", "/var/lib/mfa/factors"] {
        for reader in [user, stranger] {
          for command in ["/bin/cat", "/bin/ls"]
          where path != "/etc/mfa/key" || command != "/bin/ls" {
            let read = try Command.run([command, path], as: reader.identity)
            #expect(!read.status.isSuccess && read.output.isEmpty, "\(path) \(reader.name)")
          }
        }
      }
      let session = try HelperSession.begun(as: stranger)
      let listed = try session.ask(7)
      #expect(listed.map { Array($0.fields.prefix(2)) } == [[1], own.identifier])
      // An unauthenticated session can change nothing, an authenticated one only its own user's factors.
      #expect(try session.ask(9, enrollment.identifier)?.fields.first == [2])
      let code = try own.phone.code()
      #expect(try session.prove(password: stranger.password, code: code)?.kind == 0x84)
      #expect(try session.ask(9, enrollment.identifier)?.fields.first == [13])
      #expect(try session.ask(8, enrollment.identifier, Array("mine".utf8))?.fields.first == [13])
      #expect(try files.image() == before)
    }

    @Test("neither the key nor a code appears in an argument list, an environment or the log")
    func secrets() throws {
      let user = try machine.addUser()
      let start = try machine.log.position()
      let session = try HelperSession.begun(as: user)
      _ = try session.prove(password: user.password)
      let secret = try #require(try session.ask(5, [1], [6], [0, 30]))
      let phone = Authenticator(key: Base32.text(secret.fields[0]))
      let code = try phone.code()
      let seen = try Command.run([
        "/bin/sh", "-c", "cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null; true",
      ]).output
      let text = String(decoding: seen, as: UTF8.self)
      for part in [phone.key, user.password, code] { #expect(!text.contains(part)) }
      #expect(try session.ask(6, Array(code.utf8), Array("phone".utf8))?.kind == 0x86)
      let again = try session.ask(10, Array(code.utf8))
      #expect(again?.fields.first == [6])
      let logged = try machine.log.entries(since: start).map(\.line).joined(separator: "\n")
      for part in [phone.key, user.password, code] {
        #expect(!logged.contains(part), "\(logged)")
      }
      // The key is nowhere on the disk in plain text.
      let found = try Command.run(
        ["/bin/grep", "-rlaF", "-f", "/dev/stdin", "/var/lib/mfa", "/tmp", user.home],
        input: Array("\(phone.key)\n".utf8))
      #expect(found.output.isEmpty, "\(found.text)")
    }
  }
}
