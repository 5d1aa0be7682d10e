/// The value of a setting.
package enum SudoersValue: Hashable {
  case flag(Bool)
  case text(String)

  /// The value as in sudoers.
  package var text: String {
    switch self {
    case .flag(let isOn): isOn ? "on" : "off"
    case .text(let text): text
    }
  }
}
