import MFAAttempt
import MFABase

extension TrustedPath {
  /// Returns the names in a folder that fulfil `isIncluded`, sorted. Returns an empty array if
  /// `path` is not an absolute path.
  package static func names(
    in path: String, where isIncluded: ([UInt8]) -> Bool
  ) throws(Refusal) -> [String] {
    // `parent` opens the folder of the path, so append a component that is never used.
    guard let inside = TrustedPath(Array((path + "/-").utf8)) else { return [] }
    let folder = try inside.parent()
    var names: [String] = []
    do throws(SystemError) {
      try folder.forEachEntry { name in
        if isIncluded(name.bytes) { names.append(String(decoding: name.bytes, as: UTF8.self)) }
        return true
      }
    } catch {
      throw .system(error)
    }
    return names.sorted()
  }
}

extension TrustedPath.Refusal {
  /// The reason in words.
  package var text: String {
    switch self {
    case .system(let error): error.text
    case .untrusted(let distrust): "\(distrust.name)"
    }
  }
}

extension ConfigurationFile.Failure {
  /// Creates the failure that a path was refused.
  package init(_ path: [UInt8], refused refusal: TrustedPath.Refusal) {
    switch refusal {
    case .system(let error): self.init(path, .system(error))
    case .untrusted(let distrust): self.init(path, .untrusted(distrust))
    }
  }
}
