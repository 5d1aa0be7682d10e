import MFAMessages

extension StatusMessage {
  /// The text in English.
  package var english: MessageText {
    switch self {
    case .devices: "Devices"
    case .recoveryCodesLeft: "Recovery codes left"
    case .failedAttempts: "Failed attempts"
    case .signIns: "Sign-ins"
    case .rememberedSignIns: "Remembered sign-ins"
    case .pendingNotices: "Pending notices"
    case .device(let name, let date): "\(name), added \(date)"
    case .noDevice: "none"
    case .codesWithImported(let left, let imported):
      "\(left), of them imported: \(imported)"
    case .open: "codes are accepted"
    case .noCodeAsked: "no code is asked for"
    case .deviceOffered: "no code is asked for yet, as long as you can postpone adding a device"
    case .deviceRequired: "you must add a device at the next sign-in"
    case .throttled(let end): "no code is accepted until \(end)"
    case .locked: "locked until an administrator unlocks them"
    case .lockedUntilRecoveryCode: "locked until you sign in with a recovery code"
    }
  }
}
