extension SignInEnrollmentMessage {
  var traditionalChinese: MessageText {
    switch self {
    case .introduction(let seconds):
      """
      這部主機要求輸入驗證器應用程式的驗證碼。請準備好手機。\
      你有 \(Self.limit(seconds).traditionalChinese)的時間。\
      若要停止，請不要輸入驗證碼，直接按 Enter 鍵。
      """
    case .forms:
      """
      1  QR 碼，適用於深色背景的視窗
      2  QR 碼，適用於淺色背景的視窗
      3  金鑰，供手動輸入應用程式
      """
    case .formPrompt: "請輸入 1、2 或 3："
    case .scan: "請用驗證器應用程式掃描。"
    case .typeKey: "請在驗證器應用程式中輸入這組金鑰："
    case .openURL: "或用應用程式開啟這個網址："
    case .codeOrFormPrompt: "應用程式的驗證碼（輸入 3 可改用金鑰）："
    case .codePrompt: "應用程式的驗證碼："
    case .wrongCode: "驗證碼錯誤，請輸入應用程式目前顯示的驗證碼。"
    case .namePrompt(let usual): "這個裝置的名稱 [\(usual)]："
    case .unsupportedName: "名稱須為 1 到 64 個可見字元。"
    case .done: "已新增你的裝置。下次登入時請使用下一組驗證碼。"
    case .recoveryCodes(let user, let host, let day):
      "\(host) 上 \(user) 的復原碼（\(day)）。裝置不在手邊時可使用："
    case .keepRecoveryCodes:
      "每組只能使用一次，而且不會再次顯示。請抄寫下來，並與手機分開保管。"
    case .recoveryCodesPrompt: "抄寫完成後請按 Enter 鍵："
    }
  }
}
