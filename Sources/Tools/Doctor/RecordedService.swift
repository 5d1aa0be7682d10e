/// A service that `mfa-admin enable` has changed and an administrator has confirmed, according to the
/// record of the change.
package struct RecordedService: Equatable {
  /// A file that the change wrote, and what is left of the change.
  package struct File: Equatable {
    /// The absolute path.
    package let path: String
    /// What is left.
    package let state: State
    /// Whether the file is, byte for byte, as the change left it.
    package let isUnchanged: Bool

    /// Creates a file.
    package init(path: String, state: State, isUnchanged: Bool = false) {
      self.path = path
      self.state = state
      self.isUnchanged = isUnchanged
    }
  }

  /// What is left of a change in a file.
  package enum State: Equatable {
    /// All that was written.
    case complete
    /// The file does not exist.
    case gone
    /// The file exists and lacks some of the lines, as after an upgrade that replaced it.
    case withoutLines
    /// The line with this number, counted from 1, was edited or added between the marks.
    case edited(line: Int)
    /// The file cannot be read. The value is the reason.
    case unreadable(String)
  }

  /// The name of the service that was enabled.
  package let name: [UInt8]
  /// The files.
  package let files: [File]

  /// Creates the value.
  package init(name: [UInt8], files: [File]) {
    self.name = name
    self.files = files
  }

  /// The reason why the records cannot be read.
  package struct Failure: Error, Equatable {
    package let place: String
    package let reason: String

    /// Creates a failure.
    package init(place: String, reason: String) {
      self.place = place
      self.reason = reason
    }
  }
}
