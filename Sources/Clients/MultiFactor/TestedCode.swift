import MFAWire

/// The kind of code that `MultiFactor.test` verified.
public enum TestedCode: Equatable, Sendable {
  /// A code of a factor. It is used up.
  case factorCode
  /// A recovery code. It was not used up.
  case recoveryCode
  /// An administrator's bypass code. It was not used up.
  case bypassCode

  init(_ code: UnusedCode) {
    switch code {
    case .recoveryCode: self = .recoveryCode
    case .bypassCode: self = .bypassCode
    }
  }
}
