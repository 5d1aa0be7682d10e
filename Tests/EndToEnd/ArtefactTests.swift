import Foundation
import MFATestSupport
import Testing

extension EndToEnd {
  /// The installed files, and their effects on the processes that load or run them.
  @Suite struct Artefacts {
    static let helper = HelperSession.program

    /// The maximum number of trap instructions (`ud2`, `brk`) in the module. Each is a check that
    /// the compiler could not eliminate. The number may fall, but must not grow unnoticed.
    static let mostTraps = 940

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

    @Test("the module is small, and its dependencies and exported symbols are minimal")
    func moduleFile() throws {
      let path = try modulePath()
      let size = try Command.succeed(["/usr/bin/stat", "-L", "-c", "%s", path])
      #expect(try #require(Int(size.dropLast())) <= 300 * 1024)
      let dynamic = try readelf("-d", path)
      let needed = Set(dynamic.matches(of: /\(NEEDED\).*\[(.+)\]/).map { String($0.output.1) })
      #expect(
        needed.isSubset(of: ["libpam.so.0", "libc.so.6", "libcrypto.so.3", "libm.so.6"]),
        "\(needed)")
      #expect(!dynamic.contains("RUNPATH") && !dynamic.contains("RPATH"), "\(dynamic)")
      #expect(dynamic.contains("BIND_NOW") || dynamic.contains("NOW"), "\(dynamic)")
      #expect(!dynamic.contains("TEXTREL"), "\(dynamic)")
      let segments = try readelf("-l", path)
      #expect(segments.contains("GNU_RELRO"))
      #expect(segments.contains(/GNU_STACK.* RW +0/), "\(segments)")
      #expect(!segments.contains(/LOAD.* RWE/), "\(segments)")
      let exported = try Command.succeed(["/usr/bin/nm", "-D", "--defined-only", path])
        .split(separator: "\n").compactMap { $0.split(separator: " ").last }
        .map { String($0.prefix { $0 != "@" }) }.filter { $0.hasPrefix("pam_sm_") == false }
      // All other symbols are names of symbol versions.
      #expect(exported.allSatisfy { $0.hasPrefix("MFA") || $0.hasPrefix("PAM") }, "\(exported)")
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

    @Test("the module leaves the state of its host process unchanged", arguments: [false, true])
    func host(startsOpenSSL: Bool) throws {
      try Machine.use { machine in
        let (user, enrollment) = try machine.addEnrolledUser()
        let service = try machine.makeService(OneCode.stack)
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
    }

    @Test("the helper is setuid and setgid to the system user, and hardened")
    func helperFile() throws {
      #expect(
        try Command.succeed(["/usr/bin/stat", "-c", "%U %G %a", Self.helper]) == "mfa mfa 6755\n")
      // Permitted, but not effective.
      try Command.succeed(["/sbin/setcap", "-q", "-v", "cap_audit_write=p", Self.helper])
      let dynamic = try readelf("-d", Self.helper)
      #expect(!dynamic.contains("RUNPATH") && !dynamic.contains("RPATH"), "\(dynamic)")
      #expect(dynamic.contains("PIE") && dynamic.contains("NOW"), "\(dynamic)")
      let segments = try readelf("-l", Self.helper)
      #expect(segments.contains("GNU_RELRO") && segments.contains("Elf file type is DYN"))
      #expect(segments.contains(/GNU_STACK.* RW +0/), "\(segments)")
    }

    @Test("the helper inherits nothing from its caller, and writes no core file")
    func helperProcess() throws {
      try Machine.use { machine in
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
    }

    @Test("users can neither change factors of other users nor read files of the store")
    func separation() throws {
      try Machine.use { machine in
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
        let session = try HelperSession(as: stranger)
        _ = try session.greet()
        let listed = try session.ask(7)
        #expect(listed?.fields.first == [1] && listed?.fields[1] == own.identifier)
        // An unauthenticated session can change nothing, an authenticated one only its own user's factors.
        #expect(try session.ask(9, enrollment.identifier)?.fields.first == [2])
        let code = try own.phone.code()
        #expect(try session.prove(password: stranger.password, code: code)?.kind == 0x84)
        #expect(try session.ask(9, enrollment.identifier)?.fields.first == [13])
        #expect(
          try session.ask(8, enrollment.identifier, Array("mine".utf8))?.fields.first == [13])
        #expect(try files.image() == before)
      }
    }

    @Test("neither the key nor a code appears in an argument list, an environment or the log")
    func secrets() throws {
      try Machine.use { machine in
        let user = try machine.addUser()
        let start = try machine.log.position()
        let session = try HelperSession(as: user)
        _ = try session.greet()
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
}
