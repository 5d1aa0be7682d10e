import MFATestSupport
import Testing

/// Comparison of the module with other programs that do the same.
@Suite(.serialized, .privateMachine, .machine)
enum Differential {}

extension Differential {
  /// The module accepts exactly the codes that oathtool computes for the steps of the window.
  @Suite struct OATHTool {
    struct Row: Sendable, CustomTestStringConvertible {
      let algorithm: Authenticator.Algorithm
      let digits: Int
      let period: Int
      /// The number of steps that are accepted before and after the current one.
      let reach: Int
      var testDescription: String { "\(algorithm.rawValue) \(digits) \(period) ±\(reach)" }
    }

    /// Every hash with every number of digits; periods and windows alternate.
    static let rows = Authenticator.Algorithm.allCases.enumerated().flatMap { first, algorithm in
      (6...8).flatMap { digits in
        [15, 30, 60, 120].enumerated().map { last, period in
          Row(
            algorithm: algorithm, digits: digits, period: period,
            reach: [0, 1, 5, 10][(first + digits + last) % 4])
        }
      }
    }

    @Test func window() throws {
      let user = try machine.addUser()
      let service = try machine.makeService(["auth required pam_mfa.so tries=1"])
      let files = StoreFiles(of: user.name)
      for row in Self.rows {
        try machine.forget(user)
        // Enrols with the oldest code that any window accepts, so that no later code of the
        // window is used.
        try machine.writeConfiguration("[project]\nadjacent_intervals = 10\n")
        let phone = try machine.enroll(
          user, algorithm: row.algorithm, digits: row.digits, period: row.period,
          confirmedAt: -10
        ).phone
        try machine.writeConfiguration("[project]\nadjacent_intervals = \(row.reach)\n")
        let image = try files.image()
        // Outside, at and inside both edges. The code of step -10 itself is used.
        let offsets = Set([-row.reach - 1, -row.reach, 0, row.reach, row.reach + 1])
        for offset in offsets.sorted() where offset > -9 {
          var outcome: PAMOutcome
          var step: Int
          var position: SystemLog.Position
          // Repeated if a time step ended meanwhile, because the window moves with it.
          repeat {
            try files.restore(image)
            position = try machine.log.position()
            step = phone.step()
            let code = try phone.codes(fromStep: step + offset, count: 1)[0]
            outcome = try user.signIn(to: service, typing: code)
          } while phone.step() != step
          let isWithin = abs(offset) <= row.reach
          let lines = try machine.log.entries(since: position).map(\.message)
          #expect(
            outcome.code == (isWithin ? "PAM_SUCCESS" : "PAM_AUTH_ERR"),
            "\(row.testDescription), step \(offset): \(outcome) \(lines)")
          if isWithin { #expect(try files.acceptedSteps() == [step + offset]) }
        }
      }
    }
  }
}
