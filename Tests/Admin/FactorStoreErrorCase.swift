import MFAStore

/// The cases of `FactorStoreError` without their values, so that tests can list all of them.
enum FactorStoreErrorCase: CaseIterable {
  case system, untrusted, damaged, otherVersion, otherKey, belongsToAnother, rolledBack, busy,
    cryptography, nameTooLong, engine, foreign, renamed

  /// Creates the case of an error. Because the switch is exhaustive, no case can be missing here.
  init(_ error: FactorStoreError) {
    self =
      switch error {
      case .system: .system
      case .untrusted: .untrusted
      case .damaged: .damaged
      case .otherVersion: .otherVersion
      case .otherKey: .otherKey
      case .belongsToAnother: .belongsToAnother
      case .rolledBack: .rolledBack
      case .busy: .busy
      case .cryptography: .cryptography
      case .nameTooLong: .nameTooLong
      case .engine: .engine
      case .foreign: .foreign
      case .renamed: .renamed
      }
  }
}
