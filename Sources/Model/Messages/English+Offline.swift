extension OfflineMessage {
  private static var unreachable: MessageText {
    "The servers of the second factor cannot be reached"
  }

  var english: MessageText {
    switch self {
    case .explanation: "\(Self.unreachable). Enter an offline recovery code."
    case .prompt: "Offline recovery code: "
    case .notACode: "That is not an offline recovery code. It has sixteen letters and digits."
    case .wrongCode: "The offline recovery code is wrong or was used before."
    case .accepted(let left):
      "The offline recovery code was accepted. You have \(left) left for this group of hosts."
    case .breakGlass:
      """
      \(Self.unreachable). You are allowed in as a member of the emergency group. This sign-in is \
      reported.
      """
    case .tryAgain: "\(Self.unreachable). Try again in a few seconds."
    case .undecidable:
      """
      \(Self.unreachable), and this host cannot decide without them. Contact your administrator.
      """
    case .notPermitted:
      """
      \(Self.unreachable), and you are not permitted to sign in here without them. Contact your \
      administrator.
      """
    case .tooLongAgo:
      """
      \(Self.unreachable), and your last sign-in here is too long ago. Contact your administrator.
      """
    case .noCodes:
      """
      \(Self.unreachable), and you have no offline recovery code for this host. Contact your \
      administrator.
      """
    case .throttled(let seconds):
      "Too many wrong codes. Try again in \(WrittenDuration(seconds: seconds).english)."
    case .locked:
      "Too many wrong codes. Sign in again when the servers of the second factor can be reached."
    }
  }
}
