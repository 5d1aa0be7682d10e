// Japanese, in the polite form.

extension SignInMessage {
  var japanese: MessageText {
    switch self {
    case .codePrompt: "確認コード: "
    case .breakGlassPrompt: "二要素認証のデータを利用できません。緊急用コード: "
    case .passwordAndCodePrompt: "パスワードに続けて確認コード: "
    case .codeOrNumberPrompt: "確認コード、またはデバイスの番号: "
    case .deviceList: "登録済みのデバイス:"
    case .codeOfDevicePrompt(let name): "「\(name)」の確認コード: "
    case .codeOrSendPrompt(let number): "確認コード (s: \(number) に送信): "
    case .codeOrSendChoicePrompt: "確認コード、または送信を希望する場合は s1、s2 など: "
    case .codeSent(let number): "\(number) に確認コードを送信しました。有効期間は 10 分です。"
    case .codeNotSent:
      """
      確認コードを送信できませんでした。\
      別のデバイスまたはリカバリーコードを使用するか、管理者に連絡してください。
      """
    case .codeNotSentYet(let seconds):
      """
      確認コードは送信されませんでした。\
      \(WrittenDuration(seconds: seconds).japanese)後に再度リクエストできます。
      """
    case .phoneNotUsableYet(let seconds):
      """
      確認コードは送信されませんでした。この番号は追加されたばかりのため、\
      \(WrittenDuration(seconds: seconds).japanese)後に使用できるようになります。
      """
    case .wrongCode: "確認コードが正しくありません。"
    case .wrongCodeTryAgain: "確認コードが正しくありません。もう一度お試しください。"
    case .usedCode: "この確認コードはすでに使用されています。次のコードを使用してください。"
    case .throttled(let seconds):
      """
      間違ったコードの入力回数が多すぎます。\
      \(WrittenDuration(seconds: seconds).japanese)後にもう一度お試しください。
      """
    case .locked:
      """
      間違ったコードの入力回数が多すぎるため、デバイスがロックされています。\
      管理者にロックの解除を依頼してください。
      """
    case .lockedUntilRecoveryCode:
      """
      間違ったコードの入力回数が多すぎるため、デバイスがロックされています。\
      リカバリーコードでログインするか、管理者にロックの解除を依頼してください。
      """
    case .notACode: "確認コードではありません。認証アプリに表示されている数字を入力してください。"
    case .noSuchDevice: "その番号のデバイスはありません。"
    case .breakGlassAccepted:
      """
      二要素認証のデータを利用できないため、緊急用コードでログインしました。\
      原因の確認: sudo mfa-admin doctor
      """
    case .unavailable:
      """
      サーバーの問題によりログインできません。コードが原因ではありません。\
      管理者に連絡してください。
      """
    case .tooManyOpenSignIns:
      "入力待ちのログインが多すぎます。先にいずれかを完了してください。"
    case .recoveryCodeAccepted(0, _):
      """
      リカバリーコードを確認しました。これが最後のコードでした。新しいコードを作成してください: \
      mfa-enroll recovery-codes --new
      """
    case .recoveryCodeAccepted(let left, false):
      "リカバリーコードを確認しました。残りは \(left) 個です。"
    case .recoveryCodeAccepted(let left, true):
      """
      リカバリーコードを確認しました。残りは \(left) 個です。新しいコードを作成してください: \
      mfa-enroll recovery-codes --new
      """
    case .clockMayBeWrong:
      """
      以前に入力した確認コードは、正しいものの別の時刻のものでした。\
      スマートフォンまたはこのホストの時計がずれている可能性があります。
      """
    case .bypassCodeAccepted(0):
      """
      バイパスコードを確認しました。このコードはもう使用できません。\
      今すぐデバイスを追加してください: mfa-enroll
      """
    case .bypassCodeAccepted(let uses):
      """
      バイパスコードを確認しました。あと \(uses) 回使用できます。\
      デバイスを追加してください: mfa-enroll
      """
    case .enrollmentOffered(let signIns, let lastDay):
      "認証アプリでアカウントを保護してください: mfa-enroll"
        + Self.japaneseLimit(signIns, lastDay)
    case .enrollmentNotPossible:
      """
      このホストでは認証アプリの確認コードが必要ですが、まだデバイスが追加されていません。\
      管理者に登録チケットの発行を依頼してから、mfa-enroll --ticket を実行してください。
      """
    case .enrollmentNeedsQuestions:
      """
      このホストでは認証アプリの確認コードが必要ですが、まだデバイスが追加されていません。\
      質問に答えられる方法（ssh では keyboard-interactive）でログインするか、\
      管理者に登録チケットの発行を依頼して mfa-enroll --ticket を実行してください。
      """
    case .enrollmentAbandoned:
      "デバイスは追加されませんでした。認証アプリを用意して、もう一度ログインしてください。"
    case .enrollmentWrongCodes:
      """
      間違ったコードの入力回数が多すぎます。デバイスは追加されませんでした。\
      スマートフォンの時計が正しいことを確認して、もう一度ログインしてください。
      """
    case .enrollmentTooLate:
      "時間切れです。デバイスは追加されませんでした。もう一度ログインしてください。"
    case .enrollmentTooLittleTime(let seconds):
      """
      残り時間が \(WrittenDuration(seconds: seconds).japanese)しかないため、\
      デバイスは追加されませんでした。間を置かずに、もう一度ログインしてください。
      """
    case .enrolledMeanwhile:
      """
      このログインの途中で、アカウントにデバイスが追加されました。\
      そのデバイスのコードで、もう一度ログインしてください。
      """
    case .noticeConfirmation: "読み終えたら yes と入力してください: "
    case .howToReadNotices: "この通知は、mfa-enroll notices を実行するまで表示されます。"
    case .noticesStay: "この通知は、以前から登録済みのデバイスでログインするまで表示されます。"
    case .noticesUnconfirmed: "この通知は、ログイン時に yes と入力して確認するまで表示されます。"
    }
  }

  private static func japaneseLimit(_ signIns: Int64?, _ lastDay: [UInt8]?) -> MessageText {
    let count: MessageText? =
      switch signIns {
      case nil: nil
      case 0: "次回のログイン時"
      case let left?: "あと \(left) 回のログイン後"
      }
    switch (count, lastDay) {
    case (nil, nil): return ""
    case (let count?, nil): return "\n\(count)から必須になります。"
    case (nil, let day?): return "\n\(day)（UTC）を過ぎると必須になります。"
    case (let count?, let day?):
      return "\n\(count)、または \(day)（UTC）経過後の、いずれか早い方から必須になります。"
    }
  }
}

extension NoticeMessage {
  var japanese: MessageText {
    switch self {
    case .failedCodes(let count, let last) where last.isUnknown:
      "前回のログイン以降に、間違ったコードが \(count) 回入力されました。"
    case .failedCodes(1, let last):
      "前回のログイン以降に、間違ったコードが 1 回入力されました（\(last.japanese)）。"
    case .failedCodes(let count, let last):
      """
      前回のログイン以降に、間違ったコードが \(count) 回入力されました\
      （最後: \(last.japanese)）。
      """
    case .change(let change, let origin) where origin.isUnknown: "\(change.japanese)。"
    case .change(let change, let origin): "\(change.japanese)（\(origin.japanese)）。"
    }
  }
}

extension NoticeMessage.Change {
  fileprivate var japanese: MessageText {
    switch self {
    case .enrolled(let name): "新しいデバイス「\(name)」が追加されました"
    case .imported(let name): "デバイス「\(name)」が別のプログラムから取り込まれました"
    case .unenrolled(let name): "デバイス「\(name)」が削除されました"
    case .recoveryCodeUsed: "リカバリーコードが使用されました"
    case .recoveryCodesMade: "新しいリカバリーコードが作成されました"
    case .ticketMade(let reason): "登録チケット\(Self.japanese(reason))が作成されました"
    case .enrolledWithTicket(let name): "新しいデバイス「\(name)」がチケットで追加されました"
    case .bypassCodeMade(let reason): "バイパスコード\(Self.japanese(reason))が作成されました"
    case .bypassCodeUsed(let reason): "バイパスコード\(Self.japanese(reason))が使用されました"
    case .resynchronized(let name): "デバイス「\(name)」の時計のずれが補正されました"
    case .revoked: "管理者がすべてのデバイスを削除しました"
    case .unlockedByRecoveryCode:
      "リカバリーコードが使用され、デバイスのロックが解除されました"
    }
  }

  private static func japanese(_ reason: [UInt8]) -> MessageText {
    reason.isEmpty ? "" : "（理由: \(reason)）"
  }
}

extension NoticeOrigin {
  fileprivate var japanese: MessageText {
    let separator: MessageText = source.isEmpty || time.isEmpty ? "" : "、"
    return MessageText(time) + separator + (source.isEmpty ? "" : "\(source) から")
  }
}

extension HelperMessage {
  var japanese: MessageText {
    switch self {
    case .ticketPrompt: "登録チケット: "
    case .enrolledDevicePrompt: "登録済みのデバイスの確認コード: "
    case .enrolledDeviceOrSendPrompt(let number):
      "登録済みのデバイスの確認コード (s: \(number) に送信): "
    case .enrolledDeviceOrSendChoicePrompt:
      "登録済みのデバイスの確認コード、または送信を希望する場合は s1、s2 など: "
    case .phoneIsRestricted:
      """
      SMS の確認コードは、認証アプリのコードより安全性が低くなります。\
      電話番号が他人に乗っ取られたり、メッセージが読まれたりするおそれがあります。\
      できるだけ認証アプリを使用してください。
      """
    case .phoneUsableLater(let seconds):
      """
      アカウントを保護するため、この新しい番号には\
      \(WrittenDuration(seconds: seconds).japanese)後から確認コードが送信されます。\
      それまでは別のデバイスまたはリカバリーコードを使用してください。
      """
    case .noNotices: "通知はありません。"
    case .authenticatorAppName: "認証アプリ"
    case .phoneName: "スマートフォン"
    }
  }
}

extension MailMessage {
  var japanese: MessageText {
    switch self {
    case .subject(let user, let host): "\(host) の \(user) のログインに関するセキュリティ通知"
    case .introduction(let user, let host):
      "\(host) のアカウント \(user) で、次の変更がありました:"
    case .advice:
      """
      心当たりがない場合は、すぐに管理者に連絡してください。第三者がこのアカウントで
      ログインできる可能性があります。登録済みのデバイスは mfa-enroll list で確認できます。
      """
    }
  }
}

extension FailureMessage {
  var japanese: FailureText {
    switch self {
    case .notPermitted:
      FailureText(
        "このアカウントでは、この操作は許可されていません。", hint: "管理者に問い合わせてください。")
    case .requiresRecentLogin:
      FailureText("アカウントの本人確認が済んでいません。", hint: "最初からやり直してください。")
    case .tooManyPasswords(let seconds):
      FailureText(
        "間違ったパスワードの入力回数が多すぎます。",
        hint: "\(WrittenDuration(seconds: seconds).japanese)後にもう一度お試しください。")
    case .accountLocked:
      FailureText(
        "間違ったパスワードの入力回数が多すぎるため、このアカウントはロックされています。",
        hint: "後でもう一度お試しになるか、管理者にロックの解除を依頼してください。")
    case .accountExpired:
      FailureText("このアカウントは有効期限が切れています。", hint: "管理者にお問い合わせください。")
    case .passwordExpired:
      FailureText(
        "パスワードの有効期限が切れています。", hint: "passwd で変更してから、最初からやり直してください。")
    case .noSignIns:
      FailureText("現在、このホストには誰もログインできません。", hint: "後でもう一度お試しください。")
    case .accountNotAllowed:
      FailureText("現在、このアカウントはここでは使えません。", hint: "管理者にお問い合わせください。")
    case .wrongPassword:
      FailureText(
        "パスワードが正しくありません。",
        hint: "このホストへのログインに使うパスワードで、もう一度お試しください。")
    case .sessionExpired: FailureText("時間切れです。", hint: "最初からやり直してください。")
    case .wrongCode:
      FailureText(
        "確認コードが正しくありません。",
        hint: """
          アプリに現在表示されているコードを入力してください。再び拒否される場合は、\
          スマートフォンとこのホストの時計を確認してください。
          """)
    case .usedCode:
      FailureText(
        "この確認コードはすでに使用されています。", hint: "アプリに次のコードが表示されるまでお待ちください。")
    case .notACode:
      FailureText(
        "確認コードではありません。", hint: "アプリに表示されている 6～8 桁の数字を入力してください。")
    case .throttled(let seconds):
      FailureText(
        "間違ったコードの入力回数が多すぎます。",
        hint: "\(WrittenDuration(seconds: seconds).japanese)後にもう一度お試しください。")
    case .locked:
      FailureText(
        "間違ったコードの入力回数が多すぎるため、デバイスがロックされています。",
        hint: "管理者にロックの解除（mfa-admin unlock）を依頼してください。")
    case .nameTaken:
      FailureText("この名前のデバイスはすでにあります。", hint: "別の名前を選んでください。")
    case .tooManyDevices:
      FailureText(
        "追加できるデバイスの数の上限に達しています。",
        hint: "使用していないデバイスを削除してください: mfa-enroll unenroll")
    case .unsupportedName:
      FailureText(
        "この名前は使用できません。", hint: "1～64 文字の表示可能な文字にしてください。")
    case .noSuchDevice:
      FailureText(
        "そのデバイスはありません。", hint: "デバイスの一覧: mfa-enroll list")
    case .unsupportedValue:
      FailureText(
        "このホストは、指定された値に対応していません。", hint: "標準のアルゴリズム、桁数、間隔を使用してください。")
    case .storeUnavailable:
      FailureText(
        "サーバーの問題により、デバイスの情報を読み書きできません。",
        hint: "管理者に連絡してください。原因はシステムログ（authpriv）に記録されています。")
    case .configurationInvalid:
      FailureText(
        "このホストの設定に誤りがあります。",
        hint: "管理者に連絡してください。誤りの箇所はシステムログ（authpriv）に記録されています。")
    case .switchedOff:
      FailureText(
        "このホストでは 2 要素認証は使用されていません。", hint: "コードなしでログインできます。")
    case .internalError:
      FailureText(
        "補助プログラムでエラーが発生しました。何も変更されていません。",
        hint: "管理者に連絡してください。原因はシステムログ（authpriv）に記録されています。")
    case .lastDeviceRequired:
      FailureText(
        "これは唯一のデバイスです。このホストではデバイスが 1 つ以上必要です。",
        hint: "先に別のデバイスを追加してください: mfa-enroll")
    case .invalidTicket:
      FailureText(
        "チケットが正しくないか、使用済みか、期限切れです。",
        hint: "入力内容を確認するか、管理者に新しいチケットの発行を依頼してください。")
    case .shortKey:
      FailureText(
        "キーが短すぎるため、このホストでは使用できません。",
        hint: "新しいキーでデバイスを追加してください: mfa-enroll")
    case .codesNotConsecutive:
      FailureText(
        "2 つのコードが連続していません。",
        hint: "アプリに表示されたコードを入力し、次のコードが表示されたら続けて入力してください。")
    case .codeRequired:
      FailureText(
        "この操作には、登録済みのデバイスのコードが必要です。",
        hint: "コードまたはリカバリーコードを用意して、最初からやり直してください。")
    case .alreadyImported:
      FailureText(
        "このキーのデバイスはすでにあります。", hint: "デバイスの一覧: mfa-enroll list")
    case .tooManyChanges(let minutes):
      FailureText(
        "1 時間以内の変更回数が多すぎます。",
        hint: "\(WrittenDuration.minutes(minutes).japanese)後にもう一度お試しください。")
    case .unsuitableProcess(let attribute):
      FailureText(
        "補助プログラムは、このプロセスの属性 \(attribute) では動作しません。",
        hint: "nice、chrt、ulimit を使わずに mfa-enroll を実行してください。制限の確認: prlimit")
    case .tooManyHelpers:
      FailureText(
        "補助プログラムを同時に使用しているご自身のプログラムが多すぎます。",
        hint: "いくつか終了してから、もう一度お試しください。")
    case .helperUnavailable(let path, let reason):
      FailureText(
        "補助プログラム \(path) を起動できません（\(reason)）。",
        hint: "管理者に連絡してください。パッケージの再インストールが必要な場合があります。")
    case .helperEnded:
      FailureText(
        "補助プログラムが予期せず終了しました。",
        hint: "管理者に連絡してください。原因はシステムログ（authpriv）に記録されています。")
    case .protocolError:
      FailureText(
        "このプログラムは補助プログラムと正しく通信できません。",
        hint: "管理者に連絡してください。パッケージのインストールが不完全な可能性があります。")
    case .operationInProgress:
      FailureText(
        "別の操作が終わっていません。", hint: "先にその操作を完了するか、キャンセルしてください。")
    case .signedOut:
      FailureText("最後に追加したデバイスを削除しました。", hint: "最初からやり直してください。")
    case .signInCodeRequired:
      FailureText(
        "登録済みのデバイスの確認コードが必要です。",
        hint: "アプリに表示されるコード、またはリカバリーコードを入力してください。")
    case .noAuthenticatorApp(let obstacle):
      FailureText(
        obstacle.japanese,
        hint: "スマートフォンで QR コードを読み取るか、キーをアプリに入力してください。")
    case .totpNotSupported:
      FailureText("このホストは認証アプリの確認コードを受け付けません。", hint: "電話を追加してください: mfa-enroll phone")
    case .phonesNotSupported:
      FailureText(
        "このホストは電話に確認コードを送信しません。", hint: "認証アプリを使用してください: mfa-enroll")
    case .numberWithoutPlus:
      FailureText(
        "電話番号がプラス記号で始まっていません。", hint: "+819012345678 のように、+ と国番号から入力してください。")
    case .numberWithOtherCharacters:
      FailureText(
        "電話番号に数字以外の文字が含まれています。", hint: "+819012345678 のように、+ と数字だけを入力してください。")
    case .numberOfNoCountry:
      FailureText(
        "電話番号が国番号で始まっていません。", hint: "+819012345678 のように、+ と国番号から入力してください。")
    case .numberTooShort:
      FailureText(
        "電話番号が短すぎます。", hint: "+819012345678 のように、国番号を含む番号全体を入力してください。")
    case .numberTooLong:
      FailureText(
        "電話番号が長すぎます。", hint: "番号は +819012345678 のように、国番号を含めて 15 桁以内です。")
    case .phoneRegionNotAllowed:
      FailureText(
        "このホストは、この国の電話番号には確認コードを送信しません。", hint: "別の番号または認証アプリを使用してください: mfa-enroll")
    case .tooManyMessages(let seconds):
      FailureText(
        "確認コードの送信回数が多すぎます。", hint: "\(WrittenDuration(seconds: seconds).japanese)後に再度リクエストしてください。")
    case .messageNotSent:
      FailureText(
        "ホストの問題により、確認コードを送信できませんでした。", hint: "別のデバイスを使用するか、後でもう一度お試しください。繰り返す場合は管理者に連絡してください。")
    case .phoneAlreadyAdded:
      FailureText(
        "この電話番号はすでに追加されています。", hint: "デバイスの一覧: mfa-enroll list")
    case .phoneNotUsableYet(let seconds):
      FailureText(
        "この電話番号は追加されたばかりです。",
        hint: "確認コードは\(WrittenDuration(seconds: seconds).japanese)後から送信されます。それまでは別のデバイスを使用してください。")
    case .otherVerification:
      FailureText(
        "このコードは最後のリクエストのものではありません。", hint: "新しいコードをリクエストし、そのコードを使用してください。")
    }
  }
}

extension PhoneMessage {
  var japanese: MessageText {
    switch self {
    case .code(let issuer): " は \(issuer) の確認コードです。誰にも教えないでください。"
    case .enrollmentCode(let issuer):
      """
       は、この電話を \(issuer) のアカウントに追加するためのコードです。\
      心当たりがない場合は、このメッセージを無視してください。
      """
    case .phoneAdded(let issuer):
      """
      \(issuer) のアカウントに別の電話が追加されました。\
      心当たりがない場合は、すぐに管理者に連絡してください。
      """
    case .phoneRemoved(let issuer):
      """
      この電話は \(issuer) のアカウントから削除されました。\
      心当たりがない場合は、すぐに管理者に連絡してください。
      """
    }
  }
}

extension WrittenDuration {
  var japanese: MessageText {
    switch self {
    case .seconds(let seconds): "\(seconds) 秒"
    case .minutes(let minutes): "\(minutes) 分"
    case .hours(let hours): "\(hours) 時間"
    }
  }
}

extension AuthenticatorAppObstacle {
  fileprivate var japanese: MessageText {
    switch self {
    case .noApp: "このコンピューターには、設定リンクを開けるアプリがありません。"
    case .appExposesKey:
      "このコンピューターの設定リンク用アプリでは、キーがほかのユーザーに見えてしまいます。"
    case .appFailed: "このコンピューターの設定リンク用アプリは、リンクを受け取りませんでした。"
    case .noDesktop: "ここには、設定リンクを開けるデスクトップがありません。"
    case .noLink: "このテキストは設定リンクではありません。"
    }
  }
}
