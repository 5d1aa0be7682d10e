/// The checks of `StoreEngineConformance`.
package enum StoreEngineCheck: CaseIterable, Sendable {
  case missingRow, insertedRow, rowsOfAnySize, staleVersion, otherEpoch, otherIncarnation,
    replacedRealm, parallelInsertions, parallelUpdates, keys
  case hostBudget, failuresAtOtherVerifiers, conflictWithBudget, parallelFailures, answers,
    parallelAnswers, configuration
  case parallelLines, refusedLine, abandonedLine, longLog, twoRows, conflictOfTwoRows
}
