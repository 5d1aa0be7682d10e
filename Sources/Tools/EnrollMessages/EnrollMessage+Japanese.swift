import MFAMessages

extension EnrollMessage {
  /// The text in Japanese.
  package var japanese: MessageText {
    switch self {
    case .account(let user, let host): "アカウント: \(user)（ホスト: \(host)）"
    case .enrollmentOpening(let minutes):
      "認証アプリの入ったスマートフォンを用意してください。制限時間は \(minutes) 分です。"
    case .accountChoice(let user, let root):
      "sudo で起動されました。どのアカウントに使いますか？（\(user) または \(root)）: "
    case .accountChoiceAgain(let user, let root):
      "\(user) または \(root) と入力してください: "
    case .errorLabel: "エラー:"
    case .hintLabel: "ヒント:"
    case .warningLabel: "警告:"
    case .nameLabel: "名前:"
    case .keyLabel: "キー:"
    case .urlLabel: "URL:"
    case .scanOrShowKey:
      "認証アプリでスキャンしてください（k でキーを表示）。"
    case .retryOrShowKey(let status): "\(status)再入力するか、k でキーを表示。"
    case .showKey(let status): "\(status)k でキーを表示。"
    case .typeKeyOrOpenURL:
      "認証アプリにこのキーを入力するか、アプリで URL を開いてください:"
    case .showPicture: "k を押すと QR コードが表示されます。"
    case .scanPicture:
      "認証アプリで QR コードをスキャンするか、アプリにキーを入力してください。"
    case .scanPictureFile(let path):
      "認証アプリで \(path) の QR コードをスキャンするか、アプリにキーを入力してください。"
    case .typeKey: "認証アプリにキーを入力してください。"
    case .keyParameters(let algorithm, let digits, let seconds):
      """
      キーを入力する場合は、\(algorithm)、\(digits) 桁、\(seconds) 秒を選択してください。
      """
    case .noPicture(.windowTooSmall(let columns, let lines)):
      "QR コードにはウィンドウが小さすぎます。\(columns)x\(lines) に広げるか、上のキーを入力してください。"
    case .noPicture(.localeNotUTF8):
      """
      ロケールが UTF-8 ではないため、QR コードを表示できません。\
      上のキーを入力するか、次を実行してください: LC_ALL=C.UTF-8 mfa-enroll
      """
    case .noPicture(let obstacle): "\(obstacle.japanese)上のキーを入力してください。"
    case .passwordPrompt: "パスワード: "
    case .codePrompt: "アプリの確認コード: "
    case .phoneOpening(let minutes):
      "電話を用意してください。制限時間は \(minutes) 分です。"
    case .phoneNumberPrompt: "電話番号（例: +819012345678）: "
    case .sentCodePrompt: "メッセージの確認コード (s: 別のコードを送信): "
    case .codeSentToPhone: "電話に確認コードを送信しました。有効期間は 10 分です。"
    case .wrongSentCode: "確認コードが正しくありません。もう一度お試しください。"
    case .sentCodeExpired:
      "この確認コードは使用できなくなりました。s と入力すると別のコードが届きます。"
    case .nextCodeLater(let seconds):
      "確認コードは送信されませんでした。\(seconds) 秒後に再度リクエストできます。"
    case .namePrompt(let proposed): "このデバイスの名前 [\(proposed)]: "
    case .enrolled(let name):
      "「\(name)」を追加しました。入力した確認コードはもう使用できません。"
    case .nothingAdded: "何も追加されていません。"
    case .tryNow(let command):
      "完了しました。別のウィンドウで今すぐお試しください: \(command)"
    case .pictureHoldsKey(let path):
      "\(path) にはキーが含まれています。スキャンしたら削除してください。"
    case .pictureNotRemoved(let path): "\(path) を削除できませんでした。削除してください。"
    case .recoverySheetHeading(let user, let host, let date):
      "\(host) の \(user) のリカバリーコード（\(date) 作成）"
    case .recoverySheetAdvice(replacesOlder: true):
      """
      デバイスが手元にないときに、各コードで 1 回ログインできます。以前のコードはもう使用できません。\
      このシートはデバイスとは別の場所に保管してください。
      """
    case .recoverySheetAdvice(replacesOlder: false):
      """
      デバイスが手元にないときに、各コードで 1 回ログインできます。このシートはデバイスとは別の場所に\
      保管してください。
      """
    case .offlineSheetAdvice:
      """
      二要素認証のサーバーに接続できない間、各コードでグループの各ホストに 1 回ログインできます。\
      これらのホスト用の以前のコードは使えません。コードが必要になる前に、デバイスを使ってホストに \
      1 回ログインしてください。このシートはデバイスとは別の場所に保管してください。
      """
    case .recoveryCodesShownOnce: "これらのコードは再表示されません。"
    case .recoveryCodesSaved(let path): "リカバリーコードを \(path) に保存しました。"
    case .recoveryCodesPrinted: "リカバリーコードをプリンターに送信しました。"
    case .recoveryCodesNotMade: "リカバリーコードは作成されませんでした。"
    case .recoveryCodesLeft(0): "リカバリーコードは残っていません。"
    case .recoveryCodesLeft(let count): "リカバリーコードは残り \(count) 個です。"
    case .makeRecoveryCodes: "新しいコードの作成: mfa-enroll recovery-codes --new"
    case .recoveryCodesImported(let count):
      "リカバリーコードを \(count) 個取り込みました。これらは短いコードです。"
    case .columnID: "識別子"
    case .columnAdded: "追加日時"
    case .columnCodes: "コード"
    case .columnName: "名前"
    case .codes(let algorithm, let digits, let seconds):
      "\(algorithm)、\(digits) 桁、\(seconds) 秒"
    case .noDevices(let user): "\(user) にはまだデバイスがありません。"
    case .addDevice: "デバイスの追加: mfa-enroll"
    case .renamed(let old, let new): "「\(old)」の名前を「\(new)」に変更しました。"
    case .removeQuestion(let name): "「\(name)」を削除しますか？[y = はい / N = いいえ]: "
    case .removeOnly:
      "これは唯一のデバイスです。削除すると、ログインに使うコードがなくなります。"
    case .removed(let name): "「\(name)」を削除しました。"
    case .newestRemoved:
      "これは最後に追加したデバイスでした。次回のログインでは、そのコードは使用されません。"
    case .onlyRemoved(anotherIsExpected: false): "これは唯一のデバイスでした。次回のログインではコードは求められません。"
    case .onlyRemoved(anotherIsExpected: true): "これは唯一のデバイスでした。このホストでは、別のデバイスの追加が求められます。"
    case .recoveryCodesVoid: "リカバリーコードはもう使用できません。"
    case .otherSessionsContinue:
      "このホストのほかのセッションは続いています。ご自身で終了してください。"
    case .otherSessionsEnded(let count):
      "このホストのほかのセッションを \(count) 個終了しました。"
    case .otherSessionsNotEnded(let count):
      "ほかのセッション \(count) 個を終了できませんでした。ご自身で終了してください。"
    case .resyncOpening:
      """
      ほかのデバイスのコードを求められても、ほかにデバイスがない場合は、Enter キーを押してください。
      """
    case .nextCodePrompt: "アプリに次に表示される確認コード: "
    case .resynced(let name):
      "「\(name)」の時計のずれを補正しました。2 つの確認コードはもう使用できません。"
    case .testedCode: "正しい確認コードです。このコードはもう使用できません。"
    case .testedRecoveryCode:
      "正しいリカバリーコードです。使用済みにはならず、引き続き有効です。"
    case .testedBypassCode:
      "正しいバイパスコードです。使用済みにはならず、引き続き有効です。"
    case .rememberedSignInsCleared(0): "記憶されたログインはありませんでした。"
    case .rememberedSignInsCleared(let count):
      """
      記憶されたログイン（\(count) か所）を消去しました。次回のログインではコードが必要です。
      """
    case .imported(let name):
      "「\(name)」を追加しました。アプリにすでにあるキーを使用します。"
    case .importedFileHoldsKey(let path):
      "\(path) にはまだキーが残っています。削除してください。"
    case .importWarning(let warning): warning.japanese
    }
  }
}

extension PictureObstacle {
  var japanese: MessageText {
    switch self {
    case .notATerminal: "QR コードは端末にのみ表示できます。"
    case .unknownTerminal: "この端末は QR コードを表示できない可能性があります（TERM）。"
    case .localeNotUTF8:
      """
      ロケールが UTF-8 ではないため、QR コードを表示できません。\
      表示するには: LC_ALL=C.UTF-8 mfa-enroll
      """
    case .windowTooSmall(let columns, let lines):
      "QR コードにはウィンドウが小さすぎます。\(columns)x\(lines) に広げてください。"
    case .urlTooLong: "URL が長すぎて QR コードにできません。"
    case .outOfMemory: "メモリが足りないため、QR コードを表示できません。"
    case .libraryMissing(let name, let package):
      "QR コードにはライブラリ \(name)（Debian パッケージ \(package)）が必要です。"
    }
  }
}

extension ImportWarningMessage {
  var japanese: MessageText {
    switch self {
    case .weakKey(let bits):
      """
      キーは \(bits) ビットで、128 ビット未満です。早めに新しいキーでデバイスを追加してください: \
      mfa-enroll
      """
    case .fewerCodesAccepted(let steps, let accepted):
      """
      元のプログラムは前後 \(steps) 回分のコードを受け付けていました。ここでは最大 \(accepted) \
      回分です。デバイスの時計を確認してください。
      """
    case .clockOffset(let steps):
      """
      元のプログラムは、デバイスの時計が \(steps) 回分進んでいるとみなしていました。他人が\
      そう仕向けた可能性があります。時計を確認し、正しければデバイスを追加し直してください: \
      mfa-enroll
      """
    case .clockMeasurementDropped:
      """
      最近、時刻の合わないコードがありましたが、ここでは影響しません。デバイスの時計を確認して\
      ください。
      """
    case .gracePeriodDropped:
      """
      元のプログラムでは、ログイン後しばらくはコードなしでログインできました。ここではできません。
      """
    case .rateLimitDropped:
      "元のプログラムのログイン回数の制限は、このホストの制限に置き換わります。"
    case .reuseWasAllowed:
      "元のプログラムは同じコードを複数回受け付けていました。ここでは受け付けません。"
    case .lastCodeNotFound:
      """
      最後のコードは、その時刻のコードと一致しません。該当する可能性のあるコードはすべて\
      使用済みとみなします。
      """
    case .passwordDropped:
      "ファイルのパスワードは取り込みません。アカウントのパスワードを使用してください。"
    case .weakRecoveryCodes(let count):
      """
      取り込んだリカバリーコード \(count) 個は短いコードです（26 ビット）。新しいコードに替えてください。
      """
    case .unreachableRecoveryCodes(let line, let count):
      """
      \(line) 行目はオプションでもリカバリーコードでもないため、それより後のリカバリーコードは元から\
      使用できませんでした。\
      取り込まなかった数: \(count)
      """
    case .recoveryCodesDropped(let count):
      "リカバリーコードがアカウントの上限を超えています。取り込まなかった数: \(count)"
    }
  }
}
