public import System

/// Why a service's stack cannot be told.
public enum StackRefusal: Error, Equatable, Sendable {
  /// The service's name is no plain file name in lower case.
  case notAServiceName
  /// A file that another one includes does not exist, or its name is no plain file name.
  case notFound(includedAt: StackPosition)
  /// A file includes itself, by way of others or not.
  case loop(StackPosition)
  /// Files include one another deeper than is looked at.
  case tooDeep(StackPosition)
  /// There are more lines, or a file is longer, than is looked at.
  case tooLong(file: [UInt8])
  /// The line is none, or may be read in more than one way.
  case notUnderstood(StackPosition)
  /// A file cannot be read.
  case system(file: [UInt8], SystemError)
  /// Somebody other than root could have written a file.
  case untrusted(file: [UInt8], Distrust)

  /// The reason as log lines name it.
  public var name: StaticString {
    switch self {
    case .notAServiceName: "not-a-service-name"
    case .notFound: "included-file-not-found"
    case .loop: "included-in-itself"
    case .tooDeep: "too-many-includes"
    case .tooLong: "too-long"
    case .notUnderstood: "not-understood"
    case .system: "not-readable"
    case .untrusted: "not-trusted"
    }
  }

  /// The file that is meant, with the line where there is one; empty where there is none.
  public var place: [UInt8] {
    switch self {
    case .notAServiceName: []
    case .notFound(let position), .loop(let position), .tooDeep(let position),
      .notUnderstood(let position):
      position.text
    case .tooLong(let file), .system(let file, _), .untrusted(let file, _): file
    }
  }
}
