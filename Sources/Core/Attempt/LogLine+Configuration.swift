import MFAModel
import MFABase

extension LogLine {
  /// Appends the configuration file that cannot be used, and why.
  @inline(never)
  package mutating func add(_ failure: ConfigurationFile.Failure) {
    add("part", "configuration")
    add("file", escaping: failure.path)
    switch failure.reason {
    case .notAPath: add("reason", "not-an-absolute-path")
    case .system(let error): add(error)
    case .untrusted(let distrust): add("reason", distrust.name)
    case .tooManyFiles: add("reason", "too-many-files")
    case .invalid(let error):
      add("reason", "invalid")
      add("line", Int64(error.line))
      addQuoted("message", error.message(file: failure.path))
    }
  }
}
