/// How a sign-in was completed.
public enum MultiFactorSignInResult: Hashable, Sendable {
  /// A code of this factor. It is used up.
  case factor(MultiFactorInfo)
  /// A code of a factor that the host did not name, or that is no longer enrolled. It is used up.
  case unknownFactor
  /// A recovery code. It is used up.
  case recoveryCode
  /// One use of an administrator's bypass code.
  case bypassCode
  /// No second factor, because none is enrolled. `MultiFactor.status` says whether policy expects
  /// one.
  case notEnrolled
  /// No second factor, because the configuration switches second factors off.
  case switchedOff

  /// The factor whose code was used, or nil.
  public var factor: MultiFactorInfo? {
    guard case .factor(let factor) = self else { return nil }
    return factor
  }
}
