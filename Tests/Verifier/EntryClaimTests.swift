import Testing

@testable import MFAVerifier

@Suite("Claims of entries of a directory")
struct EntryClaimTests {
  /// The facts of a claim in the order: the name has factors, the host permits the name, it permits the other name,
  /// a host that may enrol both has reported the entry, a code of the other name was accepted.
  private static func decision(
    _ holder: EntryClaim.Holder, _ facts: [Bool]
  ) -> EntryClaim.Decision {
    EntryClaim(
      holder: holder, nameHasFactors: facts[0], permitsName: facts[1], permitsHolder: facts[2],
      isConfirmed: facts[3], isProven: facts[4]
    ).decision
  }

  private static let all = (0..<32).map { bits in (0..<5).map { bits >> $0 & 1 == 1 } }

  @Test("each combination of facts")
  func table() {
    for facts in Self.all {
      let (nameHasFactors, permitsName, permitsHolder) = (facts[0], facts[1], facts[2])
      let (isConfirmed, isProven) = (facts[3], facts[4])
      for holder in [EntryClaim.Holder.nobody, .sameName] {
        #expect(Self.decision(holder, facts) == (permitsName ? .bind : .refuse))
      }
      #expect(Self.decision(.formerName, facts) == .ignore)
      let expected: EntryClaim.Decision =
        switch (isConfirmed && !nameHasFactors, permitsName && permitsHolder, isProven) {
        case (false, _, _): .ignore
        case (true, false, _): .refuse
        case (true, true, false): .ask
        case (true, true, true): .bind
        }
      #expect(Self.decision(.otherName, facts) == expected, "\(facts)")
    }
  }

  @Test("another name's entry is bound in one case of all")
  func oneCase() {
    let bound = Self.all.filter { Self.decision(.otherName, $0) == .bind }
    #expect(bound == [[false, true, true, true, true]])
  }
}
