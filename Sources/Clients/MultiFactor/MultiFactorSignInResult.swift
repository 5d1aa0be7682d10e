/// The second factor with which a user signed in.
public enum MultiFactorSignInResult: Hashable, Sendable {
  /// A code of this factor. It is used up.
  case factor(MultiFactorInfo)
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
