import Foundation
import MFATestSupport
import Testing

extension EndToEnd {
  /// The work of the helper for a sign-in, measured in instructions by callgrind, which is more precise than a
  /// clock. The service runs the same code.
  @Suite(.withoutResidentService, .enabled("valgrind is not installed") { Valgrind.isInstalled })
  struct Timing {
    /// The maximum difference between two counts, in percent of the decision alone.
    static let tolerance = 2.0

    /// The instructions of both requests of a sign-in alone. The start of two helpers and of libcrypto, which are
    /// the same in all sign-ins, take many times as many.
    static let decision = 2_000_000

    static let patient = "[project]\nthrottle_after = 100\n"

    /// Returns the number of instructions of the helpers that one sign-in starts, one for each request.
    func instructions(
      _ service: String, _ user: String, _ answer: String, expecting code: String,
      on machine: Machine
    ) throws -> Int {
      // The first sign-in after a configuration change records it in the audit log.
      _ = try PAMClient.signIn(service: service, user: user, answers: [.noText])
      // A file that has just been written is read again each time.
      let areOld = try Deadline.usual.waits {
        try Command.succeed([
          "/usr/bin/find", "/var/lib/mfa/audit-log.head", StoreFiles.identity, "-newermt",
          "-3 seconds",
        ]).isEmpty
      }
      try #require(areOld, "the files of the audit log were written meanwhile")
      let (outcome, count) = try Valgrind.instructionsOfHelpers(on: machine) {
        () throws(HarnessFailure) in
        try PAMClient.signIn(service: service, user: user, answers: [.text(answer)])
      }
      #expect(outcome.code == code, "\(outcome)")
      return count
    }

    /// Returns the difference between the largest and the smallest count, in percent of a decision; infinity if
    /// nothing was counted.
    static func difference(_ counts: [(what: String, count: Int)]) -> Double {
      let numbers = counts.map(\.count)
      guard let least = numbers.min(), let most = numbers.max(), least > 0 else { return .infinity }
      return Double(most - least) / Double(decision) * 100
    }

    func expectAlike(
      _ counts: [(what: String, count: Int)], tolerance: Double = Self.tolerance
    ) {
      #expect(Self.difference(counts) < tolerance, "\(counts)")
      print("instructions:", counts.map { "\($0.what) \($0.count)" }.joined(separator: ", "))
    }

    @Test("all wrong codes take the same work, however many digits they share with the correct one")
    func wrongCodes() throws {
      try machine.writeConfiguration(Self.patient)
      let (user, enrollment, service) = try machine.addSignIn()
      var counts: [(what: String, count: Int)] = []
      for shared in [0, 5] {
        let code = try wrongCode(of: enrollment, sharing: shared)
        counts.append(
          (
            "\(shared) digits shared",
            try instructions(service, user.name, code, expecting: "PAM_AUTH_ERR", on: machine)
          ))
      }
      expectAlike(counts)
    }

    /// Returns a code outside the window that shares the given number of leading digits with the
    /// current code.
    func wrongCode(of enrollment: Enrollment, sharing count: Int) throws -> String {
      let right = try enrollment.phone.code()
      let window = try (-12...12).map { try enrollment.phone.code(offset: $0) }
      for shift in 1...9 {
        let code = String(
          right.enumerated().map { index, digit -> Character in
            guard index >= count, let value = digit.wholeNumberValue else { return digit }
            return Character("\((value + shift) % 10)")
          })
        if !window.contains(code) { return code }
      }
      throw HarnessFailure("all codes are correct")
    }

    /// Signs in once, because the first sign-in after an enrolment shows a notice, and confirms it.
    func hearNotices(_ service: String, _ user: MachineUser, _ code: String) throws {
      let outcome = try user.signIn(to: service, typing: code, "yes")
      #expect(outcome.code == "PAM_SUCCESS")
    }

    @Test("correct codes of all steps of the window take the same work")
    func steps() throws {
      let (user, enrollment, service) = try machine.addSignIn()
      try hearNotices(service, user, try enrollment.phone.code(offset: -4))
      expectAlike(
        try [-3, 0, 4].map { offset in
          (
            "step \(offset)",
            try instructions(
              service, user.name, try enrollment.phone.code(offset: offset),
              expecting: "PAM_SUCCESS", on: machine)
          )
        })
    }

    @Test("correct codes of all factors take the same work")
    func factors() throws {
      let (user, first) = try machine.addEnrolledUser()
      let second = try machine.enroll(
        user, named: "phon2", presentCode: try first.phone.code(offset: -3))
      let third = try machine.enroll(
        user, named: "phon3", presentCode: try first.phone.code(offset: -2))
      let service = try machine.makeService(OneCode.stack)
      try hearNotices(service, user, try first.phone.code(offset: -1))
      expectAlike(
        try [first, second, third].enumerated().map { number, enrollment in
          (
            "factor \(number + 1)",
            try instructions(
              service, user.name, try enrollment.phone.code(), expecting: "PAM_SUCCESS",
              on: machine)
          )
        })
    }

    /// A stack in which the code precedes the password, and the answer of an observer without a
    /// valid password.
    struct Observation: Sendable, CustomTestStringConvertible {
      var arguments = ""
      var configuration = ""
      let answer: String
      /// In percent. An answer that cannot be a code takes a tenth of the work of an attempt.
      var tolerance = Timing.tolerance
      /// The result of the module alone.
      let unenrolled: String
      var testDescription: String { "\(arguments) \(answer) \(configuration)" }

      static let rows = [
        Observation(
          arguments: "forward_pass", answer: "password000000",
          unenrolled: "PAM_PERM_DENIED"),
        Observation(
          arguments: "forward_pass", answer: "password", tolerance: 10,
          unenrolled: "PAM_PERM_DENIED"),
        Observation(arguments: "forward_pass", answer: "000000", unenrolled: "PAM_PERM_DENIED"),
        // Looking for a bypass code, and telling the user to enrol, takes 2 to 3 % of the instructions.
        Observation(
          configuration: "enrollment = required\n", answer: "000000", tolerance: 4,
          unenrolled: "PAM_AUTH_ERR"),
        Observation(
          arguments: "forward_pass", configuration: "enrollment = required\n",
          answer: "password000000", tolerance: 4, unenrolled: "PAM_AUTH_ERR"),
      ]
    }

    /// Adds accounts to /etc/passwd: the time for reading it must not reveal which users are enrolled.
    /// Other name services of this host are left out: they are only asked for unknown users, whatever
    /// the module does.
    func addStrangers(_ count: Int, to machine: Machine) throws {
      try machine.keep("/etc/nsswitch.conf")
      try Command.succeed([
        "/bin/sed", "-i", "-E", "s/^(passwd|group|shadow|initgroups):.*/\\1: files/",
        "/etc/nsswitch.conf",
      ])
      try machine.keep("/etc/passwd")
      let lines = (1...count).map {
        "stranger\($0):x:\(20000 + $0):65534::/nonexistent:/bin/false\n"
      }
      try Command.succeed(["/usr/bin/tee", "-a", "/etc/passwd"], input: Array(lines.joined().utf8))
    }

    @Test(
      "users without a factor, unknown users and throttled users take as much work as a wrong code",
      arguments: Observation.rows)
    func enrolledOrNot(row: Observation) throws {
      try machine.takeAuditLogAway()
      try addStrangers(200, to: machine)
      let (enrolled, _) = try machine.addEnrolledUser()
      let (throttled, _) = try machine.addEnrolledUser()
      let unenrolled = try machine.addUser()
      let service = try machine.makeService([
        "auth required pam_mfa.so tries=1 \(row.arguments)", "account required pam_permit.so",
      ])
      for number in 0..<5 {
        _ = try throttled.signIn(to: service, typing: "password00000\(number)")
        _ = try throttled.signIn(to: service, typing: "11111\(number)")
      }
      try machine.writeConfiguration("[project]\n" + row.configuration)
      var rows = [
        ("wrong", enrolled.name, "PAM_AUTH_ERR"),
        // The same answer again is not compared.
        ("repeated", enrolled.name, "PAM_AUTH_ERR"),
        ("unknown", "nobody0", "PAM_AUTH_ERR"),
        ("unenrolled", unenrolled.name, row.unenrolled),
      ]
      if !row.arguments.isEmpty { rows.append(("throttled", throttled.name, "PAM_AUTH_ERR")) }
      // Some sign-ins take 60,000 instructions more than other sign-ins of the same user: the first
      // that fails, those after the throttle has begun, and some by chance. Therefore there are up to
      // four rounds, and the one whose counts differ least is used. A real difference would show in
      // every round.
      var counts: [(what: String, count: Int)] = []
      for round in 1...4 where Self.difference(counts) >= row.tolerance {
        // The same answer as in an earlier round is not compared.
        let answer = String(row.answer.map { $0 == "0" ? Character("\(round)") : $0 })
        let measured = try rows.map { what, name, code in
          let count = try instructions(service, name, answer, expecting: code, on: machine)
          return (what: what, count: count)
        }
        if Self.difference(measured) < Self.difference(counts) { counts = measured }
      }
      expectAlike(counts, tolerance: row.tolerance)
    }
  }
}
