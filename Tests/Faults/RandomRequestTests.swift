import Glibc
import MFATestSupport
import Testing

extension Faults {
  /// Random requests of three users to the installed programs, compared with `AccountModel`, while
  /// processes are killed and stopped and the applications' clock jumps.
  ///
  /// The test verifies that a code is accepted once; that an attempt is counted before it is
  /// compared, even if its process is killed; that no code is verified while the user is throttled;
  /// that revoked factors stay revoked; and that a session ends with any change that it did not
  /// make.
  @Suite struct RandomRequests {
    @Test("after any mixture of requests, the accounts match the model", arguments: 1...12)
    func followTheRules(seed: UInt64) throws {
      try Machine.use { machine in
        try machine.takeAuditLogAway()
        let limits = """
          [project]
          throttle_after = \(AccountModel.freeFailures)
          throttle_first_wait = \(AccountModel.firstWait)s
          throttle_longest_wait = \(AccountModel.longestWait)s
          disable_after = \(AccountModel.mostFailures)

          """
        try machine.writeConfiguration(limits)
        let play = try RandomPlay(machine, seed: seed)
        for _ in 0..<150 { try play.step() }
        try play.end()
        // Accounts of other tests disappeared without an entry, so only the log itself is verified
        // here.
        let auditLog = try Command.run(["/usr/sbin/mfa-admin", "audit-log", "verify", "--json"])
        #expect(auditLog.text.contains("\"fault\": null"), "seed \(seed): \(auditLog.text)")
      }
    }
  }
}
