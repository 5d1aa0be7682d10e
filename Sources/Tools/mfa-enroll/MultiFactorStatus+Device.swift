import MultiFactor

extension MultiFactorStatus {
  /// Whether a user without a device is asked to add one at sign-ins, now or later.
  var expectsDevice: Bool {
    guard state == .enabled else { return false }
    return switch enrollment {
    case .selfService: false
    case .offered, .required: true
    }
  }
}
