import MFAMessages

extension StatusMessage {
  /// The text in Japanese.
  package var japanese: MessageText {
    switch self {
    case .devices: "デバイス"
    case .recoveryCodesLeft: "残りのリカバリーコード"
    case .failedAttempts: "間違ったコードの回数"
    case .signIns: "ログイン"
    case .rememberedSignIns: "記憶されたログイン"
    case .pendingNotices: "未確認の通知"
    case .device(let name, let date): "\(name)（追加日時: \(date)）"
    case .noDevice: "なし"
    case .codesWithImported(let left, let imported):
      "\(left)（うち \(imported) 個は取り込んだもの）"
    case .open: "コードを受け付けています"
    case .noCodeAsked: "コードは求められません"
    case .deviceOffered: "デバイスの追加を延期できる間は、コードは求められません"
    case .deviceRequired: "次回のログインでデバイスの追加が必要です"
    case .throttled(let end): "\(end) まではコードを受け付けません"
    case .locked: "管理者が解除するまでロックされています"
    case .lockedUntilRecoveryCode: "リカバリーコードでログインするまでロックされています"
    }
  }
}
