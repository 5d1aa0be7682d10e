import Glibc
import TestSupport
import Testing

extension Faults {
  /// Random requests of three users at the installed programs, played against `AccountModel`, while
  /// processes are killed and stopped and the clock of the applications jumps.
  ///
  /// What is proven: a code is accepted once; an attempt is counted before it is compared, also where its
  /// process is killed; nothing is looked at while the throttle says so; what was revoked stays revoked; a
  /// session does not outlive a change that it did not make.
  @Suite struct RandomRequests {
    @Test("whatever is mixed, the accounts follow the rules", arguments: 1...12)
    func followTheRules(seed: UInt64) throws {
      try Machine.use { machine in
        try machine.takeLedgerAway()
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
        // The accounts of other tests are gone without an entry: that is not asked here.
        let ledger = try Command.run(["/usr/sbin/mfa-admin", "ledger", "verify", "--json"])
        #expect(ledger.text.contains("\"fault\": null"), "seed \(seed): \(ledger.text)")
      }
    }
  }
}
