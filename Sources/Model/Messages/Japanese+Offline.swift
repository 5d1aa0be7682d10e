extension OfflineMessage {
  private static var unreachable: MessageText { "二要素認証のサーバーに接続できません。" }

  var japanese: MessageText {
    switch self {
    case .explanation: "\(Self.unreachable)オフライン用リカバリーコードを入力してください。"
    case .prompt: "オフライン用リカバリーコード: "
    case .notACode: "オフライン用リカバリーコードではありません。英数字 16 文字のコードです。"
    case .wrongCode: "オフライン用リカバリーコードが正しくないか、すでに使用されています。"
    case .accepted(let left):
      "オフライン用リカバリーコードを確認しました。このホストグループ用の残りは \(left) 個です。"
    case .breakGlass:
      "\(Self.unreachable)緊急用グループのメンバーとしてログインできます。このログインは報告されます。"
    case .tryAgain: "\(Self.unreachable)数秒後にもう一度お試しください。"
    case .undecidable:
      "\(Self.unreachable)このホストだけではログインの可否を判断できません。管理者に連絡してください。"
    case .notPermitted:
      "\(Self.unreachable)その間、このホストへのログインは許可されていません。管理者に連絡してください。"
    case .tooLongAgo:
      "\(Self.unreachable)このホストへの最後のログインから時間が経ちすぎています。管理者に連絡してください。"
    case .noCodes:
      "\(Self.unreachable)このホストで使えるオフライン用リカバリーコードがありません。管理者に連絡してください。"
    case .throttled(let seconds):
      """
      間違ったコードの入力回数が多すぎます。\
      \(WrittenDuration(seconds: seconds).japanese)後にもう一度お試しください。
      """
    case .locked:
      """
      間違ったコードの入力回数が多すぎます。\
      二要素認証のサーバーに接続できるようになってから、もう一度ログインしてください。
      """
    }
  }
}
