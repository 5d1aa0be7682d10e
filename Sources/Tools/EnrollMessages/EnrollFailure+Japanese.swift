import MFAMessages

extension EnrollFailure {
  /// The text in Japanese.
  package var japanese: FailureText {
    switch self {
    case .noTerminal:
      FailureText(
        "質問を表示する端末がありません。",
        hint: """
          ssh -t を使うか、プログラムが標準入力に回答を書き込む場合は --stdin を指定してください。\
          端末なしで入力したパスワードは画面に表示されます。
          """)
    case .otherAccount(let name):
      FailureText(
        "ほかのアカウント（\(name)）に mfa-enroll を使えるのは root だけです。",
        hint: "ご自身のアカウントに使う場合は、--user を付けずに実行してください。")
    case .unknownAccount(let name):
      FailureText(
        "このホストにアカウント \(name) はありません。",
        hint: "--user の後の名前を確認してください。")
    case .accountNotNamed(let user):
      FailureText(
        "mfa-enroll は sudo で起動されましたが、どのアカウントに使うかを質問できません。",
        hint: "--user \(user) または --user root を指定してください。")
    case .accountNotTaken(let name):
      FailureText(
        "このプロセスは \(name) として実行できません。",
        hint: "\(name) としてログインし、mfa-enroll を実行してください。")
    case .processNotProtected:
      FailureText(
        "このプロセスを、あなたのほかのプログラムから保護できません。",
        hint: "prctl(2) が許可されている環境で mfa-enroll を実行してください。")
    case .usage(let problem):
      FailureText(
        "コマンドを解釈できません: \(problem)", hint: "使い方: mfa-enroll --help")
    case .unknownCommand(let name, let meant?):
      FailureText(
        "コマンド「\(name)」はありません。", hint: "もしかして: mfa-enroll \(meant)")
    case .unknownCommand(let name, nil):
      FailureText(
        "コマンド「\(name)」はありません。", hint: "コマンドの一覧: mfa-enroll --help")
    case .noCode:
      FailureText(
        "コードが入力されませんでした。何も変更されていません。",
        hint: "最初からやり直してください。")
    case .nothingAdded:
      FailureText(EnrollMessage.nothingAdded.japanese, hint: "最初からやり直してください: mfa-enroll")
    case .nothingRemoved:
      FailureText(
        "何も削除されていません。",
        hint: "削除するには、y と答えるか --yes を指定してください。")
    case .noSuchDevice(let name):
      FailureText("デバイス「\(name)」はありません。", hint: "デバイスの一覧: mfa-enroll list")
    case .ambiguousID(let id):
      FailureText(
        "「\(id)」で始まる識別子が複数あります。",
        hint: "続きも入力するか、名前を使ってください。")
    case .noDevice:
      FailureText("デバイスがまだありません。", hint: "デバイスの追加: mfa-enroll")
    case .severalDevices:
      FailureText(
        "デバイスが複数あります。", hint: "いずれかの名前を指定してください: mfa-enroll list")
    case .recoveryCodesNotSaved(let path):
      FailureText(
        "リカバリーコードは有効ですが、\(path) に保存できませんでした。",
        hint: """
          画面から書き写すか、空き容量を増やして mfa-enroll recovery-codes --new をもう一度実行して\
          ください。
          """)
    case .recoveryCodesNotPrinted:
      FailureText(
        "リカバリーコードは有効ですが、印刷できませんでした。",
        hint: """
          画面から書き写すか、mfa-enroll recovery-codes --new をもう一度実行してください。
          """)
    case .noPrinter:
      FailureText(
        "このホストには印刷用のプログラム（lpr または lp）がありません。",
        hint: "--save ファイル名 で保存するか、画面から書き写してください。")
    case .noOfflineCodes:
      FailureText(
        "ここでは、あなたのオフライン用リカバリーコードは使えません。",
        hint: """
          ホストのグループ名を管理者に確認し、指定してください: mfa-enroll offline-codes --hosts グループ
          """)
    case .noHomeFolder:
      FailureText(
        "HOME にホームフォルダーが設定されていません。",
        hint: "取り込むファイルを指定してください。")
    case .fileNotOpened(let path, let reason):
      FailureText(
        "\(path) を開けません（\(reason)）。", hint: "取り込むファイルを指定してください。")
    case .notAFile(let path):
      FailureText(
        "\(path) はファイルではありません。", hint: "取り込むファイルを指定してください。")
    case .writableByOthers(let path):
      FailureText(
        "\(path) はほかのユーザーが変更した可能性があります。",
        hint: "新しいキーでデバイスを追加してください: mfa-enroll")
    case .fileNotRead(let path):
      FailureText("\(path) を読み込めません。", hint: "取り込むファイルを指定してください。")
    case .importRefused(let reason):
      FailureText(
        "ファイルを取り込めません: \(reason)",
        hint: "何も変更されていません。新しいキーでデバイスを追加してください: mfa-enroll")
    case .fileNotPrivate(let path):
      FailureText(
        "\(path) をほかのユーザーが読める可能性があります。",
        hint: """
          ホームフォルダーなど、所有者と権限を扱えるディスク上のファイルを指定してください。
          """)
    case .fileExists(let path):
      FailureText(
        "\(path) はすでに存在します。",
        hint: "別のファイルを指定するか、このファイルを削除してください。")
    case .folderMissing(let path):
      FailureText(
        "\(path) のフォルダーがありません。",
        hint: "フォルダーを作成するか、別のファイルを指定してください。")
    case .noPermission(let path):
      FailureText(
        "\(path) を作成する権限がありません。",
        hint: "ご自身のフォルダーにあるファイルを指定してください。")
    case .fileNotCreated(let path, let reason):
      FailureText(
        "\(path) を作成できません（\(reason)）。", hint: "別のファイルを指定してください。")
    case .fileNotWritten(let path, let reason):
      FailureText(
        "\(path) に書き込めません（\(reason)）。デバイスは追加されませんでした。",
        hint: "空き容量を増やすか、別のファイルを指定してください。")
    case .noPicture(let obstacle):
      FailureText(obstacle.japanese, hint: "--qr を付けなければ、キーは文字で表示されます。")
    }
  }
}
