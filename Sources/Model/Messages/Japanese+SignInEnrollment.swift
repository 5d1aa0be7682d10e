extension SignInEnrollmentMessage {
  var japanese: MessageText {
    switch self {
    case .introduction(let seconds):
      """
      このホストでは認証アプリの確認コードが必要です。スマートフォンを用意してください。\
      制限時間は \(Self.limit(seconds).japanese)です。\
      中止するには、コードを入力せずに Enter キーを押してください。
      """
    case .forms:
      """
      1  QR コード（背景が暗い画面用）
      2  QR コード（背景が明るい画面用）
      3  アプリに入力するキー
      """
    case .formPrompt: "1、2、3 のいずれかを入力: "
    case .scan: "認証アプリでスキャンしてください。"
    case .typeKey: "このキーを認証アプリに入力してください:"
    case .openURL: "または、この URL をアプリで開いてください:"
    case .codeOrFormPrompt: "アプリの確認コード（3 でキーを表示）: "
    case .codePrompt: "アプリの確認コード: "
    case .wrongCode:
      "確認コードが正しくありません。アプリに現在表示されているコードを入力してください。"
    case .namePrompt(let usual): "このデバイスの名前 [\(usual)]: "
    case .unsupportedName: "名前は 1～64 文字の表示可能な文字にしてください。"
    case .done: "デバイスを追加しました。次回のログインには次のコードを使用してください。"
    case .recoveryCodes(let user, let host, let day):
      """
      \(host) の \(user) のリカバリーコード（\(day)）。\
      デバイスが手元にないときに使用してください:
      """
    case .keepRecoveryCodes:
      """
      各コードは 1 回だけ使用できます。再表示はされません。\
      書き留めて、スマートフォンとは別の場所に保管してください。
      """
    case .recoveryCodesPrompt: "書き留めたら Enter キーを押してください: "
    }
  }
}
