// Traditional Chinese, with the terms that are used in Taiwan.

extension SignInMessage {
  var traditionalChinese: MessageText {
    switch self {
    case .codePrompt: "驗證碼："
    case .breakGlassPrompt: "無法使用雙重驗證的資料。緊急代碼："
    case .passwordAndCodePrompt: "密碼後接驗證碼："
    case .codeOrNumberPrompt: "驗證碼或裝置編號："
    case .deviceList: "你的裝置："
    case .codeOfDevicePrompt(let name): "「\(name)」的驗證碼："
    case .codeOrSendPrompt(let number): "驗證碼（輸入 s 傳送至 \(number)）："
    case .codeOrSendChoicePrompt: "驗證碼，或輸入 s1、s2 等以接收驗證碼："
    case .codeSent(let number): "驗證碼已傳送至 \(number)，10 分鐘內有效。"
    case .codeNotSent: "無法傳送驗證碼。請使用其他裝置或復原碼，或聯絡管理員。"
    case .codeNotSentYet(let seconds):
      "未傳送驗證碼。你可以在 \(WrittenDuration(seconds: seconds).traditionalChinese)後再次要求傳送。"
    case .phoneNotUsableYet(let seconds):
      "未傳送驗證碼。這個號碼是最近新增的，\(WrittenDuration(seconds: seconds).traditionalChinese)後才能使用。"
    case .wrongCode: "驗證碼錯誤。"
    case .wrongCodeTryAgain: "驗證碼錯誤，請再試一次。"
    case .usedCode: "這組驗證碼已使用過，請使用下一組。"
    case .throttled(let seconds):
      "驗證碼錯誤次數過多，請在 \(WrittenDuration(seconds: seconds).traditionalChinese)後再試一次。"
    case .locked: "驗證碼錯誤次數過多，你的裝置已鎖定。請聯絡管理員解除鎖定。"
    case .lockedUntilRecoveryCode:
      "驗證碼錯誤次數過多，你的裝置已鎖定。請使用復原碼登入，或聯絡管理員解除鎖定。"
    case .notACode: "這不是驗證碼，請輸入驗證器應用程式顯示的數字。"
    case .noSuchDevice: "沒有這個編號的裝置。"
    case .breakGlassAccepted:
      "無法使用雙重驗證的資料，已接受緊急代碼。請檢查原因：sudo mfa-admin doctor"
    case .unavailable: "伺服器發生問題，目前無法登入；這與你的驗證碼無關。請聯絡管理員。"
    case .tooManyOpenSignIns:
      "你有太多登入正在等待輸入。請先完成其中一個。"
    case .recoveryCodeAccepted(0, _):
      "已接受復原碼，這是最後一組。請產生新的復原碼：mfa-enroll recovery-codes --new"
    case .recoveryCodeAccepted(let left, false): "已接受復原碼，還剩 \(left) 組。"
    case .recoveryCodeAccepted(let left, true):
      "已接受復原碼，還剩 \(left) 組。請產生新的復原碼：mfa-enroll recovery-codes --new"
    case .clockMayBeWrong:
      "先前輸入的驗證碼正確，但屬於其他時間。手機或這部主機的時間可能不正確。"
    case .bypassCodeAccepted(0):
      "已接受臨時通行碼，此碼無法再次使用。請立即新增裝置：mfa-enroll"
    case .bypassCodeAccepted(let uses):
      "已接受臨時通行碼，還可使用 \(uses) 次。請新增裝置：mfa-enroll"
    case .enrollmentOffered(let signIns, let lastDay):
      "請使用驗證器應用程式保護你的帳號：mfa-enroll"
        + Self.traditionalChineseLimit(signIns, lastDay)
    case .enrollmentNotPossible:
      """
      這部主機要求輸入驗證器應用程式的驗證碼，但你尚未新增裝置。\
      請向管理員索取註冊票證，然後執行 mfa-enroll --ticket。
      """
    case .enrollmentNeedsQuestions:
      """
      這部主機要求輸入驗證器應用程式的驗證碼，但你尚未新增裝置。\
      請改用可以回答問題的方式登入（ssh 請使用 keyboard-interactive），\
      或向管理員索取註冊票證並執行 mfa-enroll --ticket。
      """
    case .enrollmentAbandoned: "未新增任何裝置。請備妥驗證器應用程式，然後重新登入。"
    case .enrollmentWrongCodes:
      "驗證碼錯誤次數過多，未新增任何裝置。請確認手機的時間正確，然後重新登入。"
    case .enrollmentTooLate: "操作逾時，未新增任何裝置。請重新登入。"
    case .enrollmentTooLittleTime(let seconds):
      """
      只剩 \(WrittenDuration(seconds: seconds).traditionalChinese)，時間不足，未新增任何裝置。\
      請重新登入，過程中不要停頓。
      """
    case .enrolledMeanwhile: "你的帳號在此期間已新增裝置。請重新登入，並使用該裝置的驗證碼。"
    case .noticeConfirmation: "閱讀後請輸入 yes："
    case .howToReadNotices: "在你執行 mfa-enroll notices 之前，會持續顯示這些通知。"
    case .noticesStay: "在你使用先前已有的裝置登入之前，會持續顯示這些通知。"
    case .noticesUnconfirmed: "在你登入時輸入 yes 確認之前，會持續顯示這些通知。"
    }
  }

  private static func traditionalChineseLimit(
    _ signIns: Int64?, _ lastDay: [UInt8]?
  ) -> MessageText {
    let count: MessageText? =
      switch signIns {
      case nil: nil
      case 0: "從下次登入起"
      case let left?: "再登入 \(left) 次後"
      }
    switch (count, lastDay) {
    case (nil, nil): return ""
    case (let count?, nil): return "\n\(count)將強制使用。"
    case (nil, let day?): return "\n\(day)（UTC）之後將強制使用。"
    case (let count?, let day?):
      return "\n\(count)，或 \(day)（UTC）之後，將強制使用（以先到者為準）。"
    }
  }
}

extension NoticeMessage {
  var traditionalChinese: MessageText {
    switch self {
    case .failedCodes(let count, let last) where last.isUnknown:
      "自上次登入以來，有 \(count) 次驗證碼錯誤。"
    case .failedCodes(1, let last):
      "自上次登入以來，有 1 次驗證碼錯誤（\(last.traditionalChinese)）。"
    case .failedCodes(let count, let last):
      "自上次登入以來，有 \(count) 次驗證碼錯誤（最近一次：\(last.traditionalChinese)）。"
    case .change(let change, let origin) where origin.isUnknown: "\(change.traditionalChinese)。"
    case .change(let change, let origin):
      "\(change.traditionalChinese)（\(origin.traditionalChinese)）。"
    }
  }
}

extension NoticeMessage.Change {
  fileprivate var traditionalChinese: MessageText {
    switch self {
    case .enrolled(let name): "已新增裝置「\(name)」"
    case .imported(let name): "已從其他程式匯入裝置「\(name)」"
    case .unenrolled(let name): "已移除裝置「\(name)」"
    case .recoveryCodeUsed: "已使用一組復原碼"
    case .recoveryCodesMade: "已產生新的復原碼"
    case .ticketMade(let reason): "已建立註冊票證\(Self.traditionalChinese(reason))"
    case .enrolledWithTicket(let name): "已使用票證新增裝置「\(name)」"
    case .bypassCodeMade(let reason): "已建立臨時通行碼\(Self.traditionalChinese(reason))"
    case .bypassCodeUsed(let reason): "已使用臨時通行碼\(Self.traditionalChinese(reason))"
    case .resynchronized(let name): "已校正裝置「\(name)」的時間"
    case .revoked: "管理員已移除你的所有裝置"
    case .unlockedByRecoveryCode:
      "已使用一組復原碼，並解除裝置的鎖定"
    }
  }

  private static func traditionalChinese(_ reason: [UInt8]) -> MessageText {
    reason.isEmpty ? "" : "，原因：「\(reason)」"
  }
}

extension NoticeOrigin {
  fileprivate var traditionalChinese: MessageText {
    let separator: MessageText = source.isEmpty || time.isEmpty ? "" : "，"
    return MessageText(time) + separator + (source.isEmpty ? "" : "來自 \(source)")
  }
}

extension HelperMessage {
  var traditionalChinese: MessageText {
    switch self {
    case .ticketPrompt: "註冊票證："
    case .enrolledDevicePrompt: "已新增裝置的驗證碼："
    case .enrolledDeviceOrSendPrompt(let number):
      "已新增裝置的驗證碼（輸入 s 傳送至 \(number)）："
    case .enrolledDeviceOrSendChoicePrompt:
      "已新增裝置的驗證碼，或輸入 s1、s2 等以接收驗證碼："
    case .phoneIsRestricted:
      "簡訊驗證碼不如驗證應用程式安全：他人可能盜用你的電話號碼或讀取你的簡訊。請盡可能使用驗證應用程式。"
    case .phoneUsableLater(let seconds):
      """
      為保護你的帳號，\
      \(WrittenDuration(seconds: seconds).traditionalChinese)後才會將驗證碼傳送至這個新號碼。\
      在此之前，請使用其他裝置或復原碼。
      """
    case .noNotices: "你沒有任何通知。"
    case .authenticatorAppName: "驗證應用程式"
    case .phoneName: "電話"
    }
  }
}

extension MailMessage {
  var traditionalChinese: MessageText {
    switch self {
    case .subject(let user, let host): "\(host) 上 \(user) 的登入安全通知"
    case .introduction(let user, let host): "\(host) 上的帳號 \(user) 有以下變更："
    case .advice:
      """
      如果這不是你本人的操作，請立即通知管理員：其他人或許能以你的身分登入。
      執行 mfa-enroll list 可查看你的裝置。
      """
    }
  }
}

extension FailureMessage {
  var traditionalChinese: FailureText {
    switch self {
    case .notPermitted: FailureText("這個帳號無權執行此操作。", hint: "請洽詢管理員。")
    case .requiresRecentLogin:
      FailureText("你尚未證明這個帳號屬於你。", hint: "請重新開始。")
    case .tooManyPasswords(let seconds):
      FailureText(
        "密碼錯誤次數過多。",
        hint: "請在 \(WrittenDuration(seconds: seconds).traditionalChinese)後再試一次。")
    case .accountLocked:
      FailureText(
        "密碼錯誤次數過多，此帳號已鎖定。", hint: "請稍後再試，或請管理員解除鎖定。")
    case .accountExpired: FailureText("此帳號已過期。", hint: "請洽管理員。")
    case .passwordExpired:
      FailureText("你的密碼已過期。", hint: "請用 passwd 變更密碼，再重新開始。")
    case .noSignIns: FailureText("目前無人可以登入這部主機。", hint: "請稍後再試。")
    case .accountNotAllowed: FailureText("此帳號目前不能在這裡使用。", hint: "請洽管理員。")
    case .wrongPassword:
      FailureText("密碼錯誤。", hint: "請使用登入這部主機的密碼再試一次。")
    case .sessionExpired: FailureText("操作逾時。", hint: "請重新開始。")
    case .wrongCode:
      FailureText(
        "驗證碼錯誤。",
        hint: "請輸入應用程式目前顯示的驗證碼。如果仍遭拒絕，請檢查手機與這部主機的時間。")
    case .usedCode:
      FailureText("這組驗證碼已使用過。", hint: "請等待應用程式顯示下一組。")
    case .notACode:
      FailureText("這不是驗證碼。", hint: "請輸入應用程式顯示的 6 到 8 位數字。")
    case .throttled(let seconds):
      FailureText(
        "驗證碼錯誤次數過多。",
        hint: "請在 \(WrittenDuration(seconds: seconds).traditionalChinese)後再試一次。")
    case .locked:
      FailureText(
        "驗證碼錯誤次數過多，你的裝置已鎖定。",
        hint: "請聯絡管理員解除鎖定（mfa-admin unlock）。")
    case .nameTaken: FailureText("你已有同名的裝置。", hint: "請選擇其他名稱。")
    case .tooManyDevices:
      FailureText(
        "你的裝置數量已達上限。", hint: "請移除不再使用的裝置：mfa-enroll unenroll")
    case .unsupportedName:
      FailureText("裝置不能使用這個名稱。", hint: "請使用 1 到 64 個可見字元。")
    case .noSuchDevice:
      FailureText("你沒有這個裝置。", hint: "查看你的裝置：mfa-enroll list")
    case .unsupportedValue:
      FailureText("這部主機不支援所選的值。", hint: "請使用標準的演算法、位數與週期。")
    case .storeUnavailable:
      FailureText(
        "伺服器發生問題，無法讀取或寫入你的裝置資料。",
        hint: "請聯絡管理員。原因記錄於系統日誌（authpriv）。")
    case .configurationInvalid:
      FailureText(
        "這部主機的設定有誤。", hint: "請聯絡管理員。錯誤位置記錄於系統日誌（authpriv）。")
    case .switchedOff:
      FailureText("這部主機未使用雙重驗證。", hint: "你不需驗證碼即可登入。")
    case .internalError:
      FailureText(
        "輔助程式發生錯誤，未變更任何內容。",
        hint: "請聯絡管理員。原因記錄於系統日誌（authpriv）。")
    case .lastDeviceRequired:
      FailureText(
        "這是你唯一的裝置，而這部主機要求至少一個裝置。", hint: "請先新增其他裝置：mfa-enroll")
    case .invalidTicket:
      FailureText(
        "票證錯誤、已使用或已過期。", hint: "請檢查輸入內容，或向管理員索取新的票證。")
    case .shortKey:
      FailureText(
        "金鑰太短，無法用於這部主機。", hint: "請用新的金鑰新增裝置：mfa-enroll")
    case .codesNotConsecutive:
      FailureText(
        "這兩組驗證碼不連續。",
        hint: "請輸入應用程式顯示的驗證碼，等待下一組出現後再輸入。")
    case .codeRequired:
      FailureText(
        "此操作需要已新增裝置的驗證碼。", hint: "請備妥驗證碼或復原碼，然後重新開始。")
    case .alreadyImported:
      FailureText("你已有使用這組金鑰的裝置。", hint: "查看你的裝置：mfa-enroll list")
    case .tooManyChanges(let minutes):
      FailureText(
        "你在一小時內的變更次數過多。",
        hint: "請在 \(WrittenDuration.minutes(minutes).traditionalChinese)後再試一次。")
    case .unsuitableProcess(let attribute):
      FailureText(
        "由於這個程序的屬性 \(attribute)，輔助程式無法執行。",
        hint: "請勿透過 nice、chrt 或 ulimit 執行 mfa-enroll。查看限制：prlimit")
    case .tooManyHelpers:
      FailureText(
        "你有太多程式同時使用輔助程式。", hint: "請結束其中一些程式，然後再試一次。")
    case .helperUnavailable(let path, let reason):
      FailureText(
        "無法啟動輔助程式 \(path)（\(reason)）。", hint: "請聯絡管理員，可能需要重新安裝套件。")
    case .helperEnded:
      FailureText(
        "輔助程式意外結束。", hint: "請聯絡管理員。原因記錄於系統日誌（authpriv）。")
    case .protocolError:
      FailureText(
        "這個程式與輔助程式無法正確通訊。", hint: "請聯絡管理員，套件可能安裝不完整。")
    case .operationInProgress:
      FailureText("另一項操作尚未完成。", hint: "請先完成或取消該操作。")
    case .signedOut: FailureText("你已移除最近新增的裝置。", hint: "請重新開始。")
    case .signInCodeRequired:
      FailureText(
        "需要你某部裝置上的驗證碼。",
        hint: "請輸入應用程式顯示的驗證碼，或輸入復原碼。")
    case .noAuthenticatorApp(let obstacle):
      FailureText(
        obstacle.traditionalChinese,
        hint: "請用手機掃描 QR 碼，或將金鑰輸入應用程式。")
    case .totpNotSupported:
      FailureText("這部主機不接受驗證應用程式的驗證碼。", hint: "請新增電話：mfa-enroll phone")
    case .phonesNotSupported:
      FailureText(
        "這部主機不會傳送驗證碼到電話。", hint: "請使用驗證應用程式：mfa-enroll")
    case .numberWithoutPlus:
      FailureText(
        "電話號碼開頭沒有加號。", hint: "請先輸入 + 與國碼，例如 +886912345678。")
    case .numberWithOtherCharacters:
      FailureText(
        "電話號碼含有數字以外的字元。", hint: "請只輸入 + 與數字，例如 +886912345678。")
    case .numberOfNoCountry:
      FailureText(
        "電話號碼開頭不是任何國家的國碼。", hint: "請先輸入 + 與國碼，例如 +886912345678。")
    case .numberTooShort:
      FailureText(
        "電話號碼太短。", hint: "請輸入含國碼的完整號碼，例如 +886912345678。")
    case .numberTooLong:
      FailureText(
        "電話號碼太長。", hint: "號碼連同國碼最多 15 位數字，例如 +886912345678。")
    case .phoneRegionNotAllowed:
      FailureText(
        "這部主機不會傳送驗證碼到這個國家的電話號碼。", hint: "請使用其他號碼，或使用驗證應用程式：mfa-enroll")
    case .tooManyMessages(let seconds):
      FailureText(
        "傳送驗證碼的次數過多。", hint: "請在 \(WrittenDuration(seconds: seconds).traditionalChinese)後再次要求傳送。")
    case .messageNotSent:
      FailureText(
        "主機發生問題，無法傳送驗證碼。", hint: "請使用其他裝置或稍後再試。如果再次發生，請聯絡管理員。")
    case .phoneAlreadyAdded:
      FailureText(
        "你已新增這個電話號碼。", hint: "查看你的裝置：mfa-enroll list")
    case .phoneNotUsableYet(let seconds):
      FailureText(
        "這個電話號碼是最近新增的。",
        hint: "\(WrittenDuration(seconds: seconds).traditionalChinese)後才會傳送驗證碼至這個號碼。在此之前，請使用其他裝置。")
    case .otherVerification:
      FailureText(
        "這組驗證碼不屬於最近一次的要求。", hint: "請要求新的驗證碼並使用該組驗證碼。")
    }
  }
}

extension PhoneMessage {
  var traditionalChinese: MessageText {
    switch self {
    case .code(let issuer): " 是你在 \(issuer) 的驗證碼，請勿告訴任何人。"
    case .enrollmentCode(let issuer):
      " 是將這支電話新增至你在 \(issuer) 的帳號的驗證碼。如果不是你要求的，請忽略這則訊息。"
    case .phoneAdded(let issuer):
      "你在 \(issuer) 的帳號已新增另一支電話。如果不是你本人的操作，請立即通知管理員。"
    case .phoneRemoved(let issuer):
      "這支電話已從你在 \(issuer) 的帳號移除。如果不是你本人的操作，請立即通知管理員。"
    }
  }
}

extension WrittenDuration {
  var traditionalChinese: MessageText {
    switch self {
    case .seconds(let seconds): "\(seconds) 秒"
    case .minutes(let minutes): "\(minutes) 分鐘"
    case .hours(let hours): "\(hours) 小時"
    }
  }
}

extension AuthenticatorAppObstacle {
  fileprivate var traditionalChinese: MessageText {
    switch self {
    case .noApp: "這部電腦上沒有應用程式可開啟設定連結。"
    case .appExposesKey: "這部電腦上開啟設定連結的應用程式會讓其他使用者看到金鑰。"
    case .appFailed: "這部電腦上開啟設定連結的應用程式未接受連結。"
    case .noDesktop: "這裡沒有可開啟設定連結的桌面。"
    case .noLink: "這段文字不是設定連結。"
    }
  }
}
