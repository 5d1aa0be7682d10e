extension OfflineMessage {
  private static var unreachable: MessageText { "無法連線至第二要素的伺服器" }

  var traditionalChinese: MessageText {
    switch self {
    case .explanation: "\(Self.unreachable)，請輸入離線復原碼。"
    case .prompt: "離線復原碼："
    case .notACode: "這不是離線復原碼。離線復原碼有十六個字母和數字。"
    case .wrongCode: "離線復原碼錯誤，或已使用過。"
    case .accepted(let left): "已接受離線復原碼。這個主機群組還剩 \(left) 組。"
    case .breakGlass: "\(Self.unreachable)。你以緊急群組成員的身分登入，這次登入會被回報。"
    case .tryAgain: "\(Self.unreachable)，請在幾秒後再試一次。"
    case .undecidable: "\(Self.unreachable)，這部主機無法自行決定。請聯絡管理員。"
    case .notPermitted: "\(Self.unreachable)，在此期間你不能登入這部主機。請聯絡管理員。"
    case .tooLongAgo: "\(Self.unreachable)，而你上次登入這部主機已是太久以前。請聯絡管理員。"
    case .noCodes: "\(Self.unreachable)，而你沒有這部主機可用的離線復原碼。請聯絡管理員。"
    case .throttled(let seconds):
      "驗證碼錯誤次數過多，請在 \(WrittenDuration(seconds: seconds).traditionalChinese)後再試一次。"
    case .locked: "驗證碼錯誤次數過多。請在可以連線至第二要素的伺服器後，再次登入。"
    }
  }
}
