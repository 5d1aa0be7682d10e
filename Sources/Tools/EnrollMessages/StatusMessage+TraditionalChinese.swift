import MFAMessages

extension StatusMessage {
  /// The text in Traditional Chinese.
  package var traditionalChinese: MessageText {
    switch self {
    case .devices: "裝置"
    case .recoveryCodesLeft: "剩餘的復原碼"
    case .failedAttempts: "驗證碼錯誤次數"
    case .signIns: "登入"
    case .rememberedSignIns: "已記住的登入"
    case .pendingNotices: "尚未確認的通知"
    case .device(let name, let date): "\(name)，新增於 \(date)"
    case .noDevice: "無"
    case .codesWithImported(let left, let imported):
      "\(left)，其中 \(imported) 組為匯入"
    case .open: "接受驗證碼"
    case .noCodeAsked: "不需要驗證碼"
    case .deviceOffered: "可延後新增裝置，在此期間不需要驗證碼"
    case .deviceRequired: "下次登入時必須新增裝置"
    case .throttled(let end): "在 \(end) 之前不接受驗證碼"
    case .locked: "已鎖定，需由管理員解除鎖定"
    case .lockedUntilRecoveryCode: "已鎖定，需使用復原碼登入才能解除鎖定"
    }
  }
}
