import MFABase
import ArgumentParser

/// The hash functions, by their names on the command line.
enum AlgorithmName: String, CaseIterable, ExpressibleByArgument {
  case sha1, sha256, sha512

  init(_ algorithm: HashAlgorithm) {
    switch algorithm {
    case .sha1: self = .sha1
    case .sha256: self = .sha256
    case .sha512: self = .sha512
    }
  }

  /// The hash function.
  var algorithm: HashAlgorithm {
    switch self {
    case .sha1: .sha1
    case .sha256: .sha256
    case .sha512: .sha512
    }
  }
}
