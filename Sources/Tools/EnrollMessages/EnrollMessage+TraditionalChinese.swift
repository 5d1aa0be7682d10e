import MFAMessages

extension EnrollMessage {
  /// The text in Traditional Chinese.
  package var traditionalChinese: MessageText {
    switch self {
    case .account(let user, let host): "帳號：\(user)（主機 \(host)）"
    case .enrollmentOpening(let minutes):
      "請準備好已安裝驗證器應用程式的手機。時限為 \(minutes) 分鐘。"
    case .accountChoice(let user, let root):
      "你使用了 sudo。請問要用於哪一個帳號，\(user) 還是 \(root)？"
    case .accountChoiceAgain(let user, let root): "請輸入 \(user) 或 \(root)："
    case .errorLabel: "錯誤："
    case .hintLabel: "提示："
    case .warningLabel: "警告："
    case .nameLabel: "名稱："
    case .keyLabel: "金鑰："
    case .urlLabel: "網址："
    case .scanOrShowKey:
      "請用驗證器應用程式掃描，或按 k 顯示金鑰。"
    case .retryOrShowKey(let status): "\(status)請再試一次，或按 k 顯示金鑰。"
    case .showKey(let status): "\(status)按 k 可顯示金鑰。"
    case .typeKeyOrOpenURL:
      "請在驗證器應用程式中輸入這組金鑰，或用它開啟網址："
    case .showPicture: "按 k 可顯示 QR 碼。"
    case .scanPicture: "請用驗證器應用程式掃描 QR 碼，或在應用程式中輸入金鑰。"
    case .scanPictureFile(let path):
      "請用驗證器應用程式掃描 \(path) 中的 QR 碼，或在應用程式中輸入金鑰。"
    case .typeKey: "請在驗證器應用程式中輸入金鑰。"
    case .keyParameters(let algorithm, let digits, let seconds):
      "若要輸入金鑰，請選擇 \(algorithm)、\(digits) 位數和 \(seconds) 秒。"
    case .noPicture(.windowTooSmall(let columns, let lines)):
      "視窗太小，無法顯示 QR 碼。請放大至 \(columns)x\(lines)，或輸入上方的金鑰。"
    case .noPicture(.localeNotUTF8):
      """
      語系設定不是 UTF-8，因此無法顯示 QR 碼。\
      請輸入上方的金鑰，或執行：LC_ALL=C.UTF-8 mfa-enroll
      """
    case .noPicture(let obstacle): "\(obstacle.traditionalChinese)請輸入上方的金鑰。"
    case .passwordPrompt: "密碼："
    case .codePrompt: "應用程式的驗證碼："
    case .phoneOpening(let minutes): "請準備好你的電話。時限為 \(minutes) 分鐘。"
    case .phoneNumberPrompt: "電話號碼，例如 +886912345678："
    case .sentCodePrompt: "簡訊中的驗證碼（輸入 s 再次傳送）："
    case .codeSentToPhone: "驗證碼已傳送到你的電話，10 分鐘內有效。"
    case .wrongSentCode: "驗證碼錯誤，請再試一次。"
    case .sentCodeExpired: "這組驗證碼已失效。輸入 s 即可收到另一組。"
    case .nextCodeLater(let seconds): "未傳送驗證碼。\(seconds) 秒後可以再次要求傳送。"
    case .namePrompt(let proposed): "這個裝置的名稱 [\(proposed)]："
    case .enrolled(let name): "已新增「\(name)」。你輸入的驗證碼無法再次使用。"
    case .nothingAdded: "未新增任何裝置。"
    case .tryNow(let command): "完成。請立即在另一個視窗中試用：\(command)"
    case .pictureHoldsKey(let path): "\(path) 含有你的金鑰。掃描後請刪除此檔案。"
    case .pictureNotRemoved(let path): "無法刪除 \(path)。請自行刪除。"
    case .recoverySheetHeading(let user, let host, let date):
      "\(host) 上 \(user) 的復原碼（產生日期：\(date)）"
    case .recoverySheetAdvice(replacesOlder: true):
      """
      裝置不在手邊時，每組復原碼可登入一次。舊的復原碼已失效。請將這張清單與裝置分開保管。
      """
    case .recoverySheetAdvice(replacesOlder: false):
      """
      裝置不在手邊時，每組復原碼可登入一次。請將這張清單與裝置分開保管。
      """
    case .offlineSheetAdvice:
      """
      無法連線至第二要素的伺服器時，每組復原碼可在群組的每部主機登入一次。這些主機先前的復原碼不再\
      有效。請在需要復原碼之前，先用裝置在該主機登入一次。請將這張清單與裝置分開保管。
      """
    case .recoveryCodesShownOnce: "這些復原碼不會再次顯示。"
    case .recoveryCodesSaved(let path): "你的復原碼已儲存至 \(path)。"
    case .recoveryCodesPrinted: "你的復原碼已傳送至印表機。"
    case .recoveryCodesNotMade: "未產生任何復原碼。"
    case .recoveryCodesLeft(0): "已沒有復原碼。"
    case .recoveryCodesLeft(let count): "還剩 \(count) 組復原碼。"
    case .makeRecoveryCodes: "產生新的復原碼：mfa-enroll recovery-codes --new"
    case .recoveryCodesImported(let count): "已匯入 \(count) 組復原碼。這些復原碼較短。"
    case .columnID: "識別碼"
    case .columnAdded: "新增時間"
    case .columnCodes: "驗證碼"
    case .columnName: "名稱"
    case .codes(let algorithm, let digits, let seconds):
      "\(algorithm)，\(digits) 位數，\(seconds) 秒"
    case .noDevices(let user): "\(user) 還沒有裝置。"
    case .addDevice: "新增裝置：mfa-enroll"
    case .renamed(let old, let new): "「\(old)」已改名為「\(new)」。"
    case .removeQuestion(let name): "要移除「\(name)」嗎？[y = 是 / N = 否] "
    case .removeOnly: "這是你唯一的裝置。移除後，你就沒有可用來登入的驗證碼。"
    case .removed(let name): "已移除「\(name)」。"
    case .newestRemoved: "這是你最近新增的裝置。下次登入時不會使用它的驗證碼。"
    case .onlyRemoved(anotherIsExpected: false): "這是你唯一的裝置。下次登入時不需要驗證碼。"
    case .onlyRemoved(anotherIsExpected: true): "這是你唯一的裝置。這部主機會要求你新增另一個裝置。"
    case .recoveryCodesVoid: "你的復原碼已失效。"
    case .otherSessionsContinue: "你在這部主機上的其他工作階段仍在執行。請自行結束。"
    case .otherSessionsEnded(let count): "已結束這部主機上的 \(count) 個其他工作階段。"
    case .otherSessionsNotEnded(let count):
      "有 \(count) 個其他工作階段無法結束。請自行結束。"
    case .resyncOpening: "若系統要求其他裝置的驗證碼，而你沒有其他裝置，請按 Enter 鍵。"
    case .nextCodePrompt: "應用程式接著顯示的下一組驗證碼："
    case .resynced(let name): "已校正「\(name)」的時間。這兩組驗證碼無法再次使用。"
    case .testedCode: "正確。這組驗證碼無法再次使用。"
    case .testedRecoveryCode:
      "正確。這是你的一組復原碼。此碼並未用掉，仍然有效。"
    case .testedBypassCode:
      "正確。這是臨時通行碼。此碼並未用掉，仍然有效。"
    case .rememberedSignInsCleared(0): "沒有已記住的登入。"
    case .rememberedSignInsCleared(let count):
      "系統不再記住來自 \(count) 個位置的登入。下次登入時需要輸入驗證碼。"
    case .imported(let name): "已新增「\(name)」，使用應用程式中原有的金鑰。"
    case .importedFileHoldsKey(let path): "\(path) 仍含有金鑰。請刪除此檔案。"
    case .importWarning(let warning): warning.traditionalChinese
    }
  }
}

extension PictureObstacle {
  var traditionalChinese: MessageText {
    switch self {
    case .notATerminal: "QR 碼只能顯示在終端機上。"
    case .unknownTerminal: "這個終端機可能無法顯示 QR 碼（TERM）。"
    case .localeNotUTF8:
      """
      語系設定不是 UTF-8，因此無法顯示 QR 碼。\
      若要顯示，請執行：LC_ALL=C.UTF-8 mfa-enroll
      """
    case .windowTooSmall(let columns, let lines):
      "視窗太小，無法顯示 QR 碼。請放大至 \(columns)x\(lines)。"
    case .urlTooLong: "網址太長，無法製成 QR 碼。"
    case .outOfMemory: "記憶體不足，無法顯示 QR 碼。"
    case .libraryMissing(let name, let package):
      "QR 碼需要程式庫 \(name)（Debian 套件 \(package)）。"
    }
  }
}

extension ImportWarningMessage {
  var traditionalChinese: MessageText {
    switch self {
    case .weakKey(let bits):
      "金鑰有 \(bits) 位元，少於 128 位元。請儘快用新的金鑰新增裝置：mfa-enroll"
    case .fewerCodesAccepted(let steps, let accepted):
      """
      原本的程式接受前後 \(steps) 個時段的驗證碼。這裡最多接受 \(accepted) 個。請檢查裝置的時間。
      """
    case .clockOffset(let steps):
      """
      原本的程式認定裝置的時間快了 \(steps) 個時段，這可能是他人造成的。請檢查時間。若時間正確，\
      請重新新增裝置：mfa-enroll
      """
    case .clockMeasurementDropped:
      "最近曾收到時間不符的驗證碼，在這裡沒有作用。請檢查裝置的時間。"
    case .gracePeriodDropped:
      "原本的程式允許在登入後一段時間內，不需驗證碼即可再次登入。這裡不允許。"
    case .rateLimitDropped: "原本程式的登入次數限制，將由這部主機的限制取代。"
    case .reuseWasAllowed: "原本的程式接受重複使用驗證碼。這裡不接受。"
    case .lastCodeNotFound: "最後一組驗證碼與其時間不符。所有可能的驗證碼都視為已使用。"
    case .passwordDropped: "檔案中的密碼不會匯入。請使用你帳號的密碼。"
    case .weakRecoveryCodes(let count):
      "已匯入的 \(count) 組復原碼較短（26 位元）。請更換。"
    case .unreachableRecoveryCodes(let line, let count):
      """
      第 \(line) 行既不是選項也不是復原碼，因此其後的復原碼原本就無法使用。未匯入的數量：\(count)
      """
    case .recoveryCodesDropped(let count):
      "復原碼超過帳號的上限。未匯入的數量：\(count)"
    }
  }
}
