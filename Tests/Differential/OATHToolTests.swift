import TestSupport
import Testing

extension Differential {
  /// The module accepts exactly the codes that oathtool makes for the steps of its window.
  @Suite struct OATHTool {
    struct Row: Sendable, CustomTestStringConvertible {
      let algorithm: Authenticator.Algorithm
      let digits: Int
      let period: Int
      /// How many steps before and after are accepted.
      let reach: Int
      var testDescription: String { "\(algorithm.rawValue) \(digits) \(period) ±\(reach)" }
    }

    /// Every hash with every number of digits; periods and windows in turn.
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
      try Machine.use { machine in
        let user = try machine.addUser()
        let service = try machine.makeService(["auth required pam_mfa.so"])
        let files = StoreFiles(of: user.name)
        for row in Self.rows {
          try machine.forget(user)
          // Enrolled with the oldest code that any window takes, so that the whole window is fresh.
          try machine.writeConfiguration("[project]\nadjacent_intervals = 10\n")
          let phone = try machine.enroll(
            user, algorithm: row.algorithm, digits: row.digits, period: row.period,
            confirmedAt: -10
          ).phone
          try machine.writeConfiguration(
            "[project]\nadjacent_intervals = \(row.reach)\n")
          let image = try files.image()
          // Beyond, at and within both edges; -10 itself is used up.
          let offsets = Set([-row.reach - 1, -row.reach, 0, row.reach, row.reach + 1])
          for offset in offsets.sorted() where offset > -9 {
            var outcome: PAMOutcome
            var step: Int
            // Again when a step ended meanwhile: the window moves with it.
            repeat {
              try files.restore(image)
              step = phone.step()
              let code = try phone.codes(fromStep: step + offset, count: 1)[0]
              outcome = try PAMClient.signIn(
                service: service, user: user.name, answers: [.text(code)])
            } while phone.step() != step
            let isWithin = abs(offset) <= row.reach
            #expect(
              outcome.code == (isWithin ? "PAM_SUCCESS" : "PAM_AUTH_ERR"),
              "\(row.testDescription), step \(offset): \(outcome)")
            if isWithin { #expect(try files.acceptedSteps() == [step + offset]) }
          }
        }
      }
    }
  }
}
