extension SignInEnrollmentMessage {
  var japanese: MessageText {
    switch self {
    case .introduction(let seconds):
      """
      このホストでは認証アプリのコードが必要です。スマートフォンを用意してください。\
      制限時間は\(Self.limit(seconds).japanese)です。\
      中止するには、コードを入力せずに Enter を押してください。
      """
    case .forms:
      """
      1  QR コード (背景が暗い画面)
      2  QR コード (背景が明るい画面)
      3  アプリに入力する鍵
      """
    case .formPrompt: "1、2、3 のいずれかを入力: "
    case .scan: "認証アプリでスキャンしてください。"
    case .typeKey: "この鍵を認証アプリに入力してください:"
    case .openURL: "または、この URL をアプリで開いてください:"
    case .codeOrFormPrompt: "アプリのコード (鍵を入力する場合は 3): "
    case .codePrompt: "アプリのコード: "
    case .wrongCode: "コードが正しくありません。アプリに今表示されているコードを入力してください。"
    case .namePrompt(let usual): "このデバイスの名前 [\(usual)]: "
    case .unsupportedName: "名前は表示可能な 1～64 文字にしてください。"
    case .done: "デバイスが追加されました。次回のログインでは次のコードを使用してください。"
    case .recoveryCodes(let user, let host, let day):
      """
      \(host) の \(user) のリカバリーコード (\(day))。\
      デバイスが手元にないときに使用してください:
      """
    case .keepRecoveryCodes:
      """
      各コードは 1 回だけ使用できます。再表示はされません。\
      書き留めて、スマートフォンとは別の場所に保管してください。
      """
    case .recoveryCodesPrompt: "書き留めたら Enter を押してください: "
    }
  }
}
