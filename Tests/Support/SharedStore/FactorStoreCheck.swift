/// The checks of `FactorStoreConformance`.
package enum FactorStoreCheck: CaseIterable, Sendable {
  case missingUser, enrolment, checkpoints, failedCommit, removal, separateUsers, attempts,
    oneCodeInParallel, parallelCommits, snapshots, configuration, changesOfMissingUser, unlocking,
    rememberedSignIns, revocation, grants
}
