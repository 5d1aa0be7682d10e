import MFABase

/// The reason why a service's stack cannot be determined.
package enum StackRefusal: Error, Equatable, Sendable {
  /// The service's name is not a plain file name in lower case.
  case notAServiceName
  /// An included file does not exist.
  case notFound(includedAt: StackPosition)
  /// A file includes itself, directly or through other files.
  case loop(StackPosition)
  /// Files include each other more deeply than `ServiceStack.deepest`.
  case tooDeep(StackPosition)
  /// A file is longer than `StackFile.longest`, or there are more lines than
  /// `ServiceStack.maximumLineCount`.
  case tooLong(file: [UInt8])
  /// The line is invalid, has more than one possible meaning, or includes a file whose name is not a
  /// plain file name.
  case notUnderstood(StackPosition)
  /// The line ends with a carriage return, as on Windows.
  case carriageReturn(StackPosition)
  /// A file cannot be read.
  case system(file: [UInt8], SystemError)
  /// A user other than root could have written a file.
  case untrusted(file: [UInt8], TrustFailure)

  /// The reason as named in log lines.
  package var name: StaticString {
    switch self {
    case .notAServiceName: "not-a-service-name"
    case .notFound: "included-file-not-found"
    case .loop: "included-in-itself"
    case .tooDeep: "too-many-includes"
    case .tooLong: "too-long"
    case .notUnderstood: "not-understood"
    case .carriageReturn: "carriage-return"
    case .system: "not-readable"
    case .untrusted: "not-trusted"
    }
  }

  /// The file concerned, with the line if it is known; empty if no file is concerned.
  package var place: [UInt8] {
    switch self {
    case .notAServiceName: []
    case .notFound(let position), .loop(let position), .tooDeep(let position),
      .notUnderstood(let position), .carriageReturn(let position):
      position.text
    case .tooLong(let file), .system(let file, _), .untrusted(let file, _): file
    }
  }
}
