/// Whether a setting is on.
enum OnOrOff: Int64 {
  case on
  case off

  /// The value in the file.
  var name: String {
    switch self {
    case .on: "on"
    case .off: "off"
    }
  }
}
