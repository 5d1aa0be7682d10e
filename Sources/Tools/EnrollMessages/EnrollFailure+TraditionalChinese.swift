import MFAMessages

extension EnrollFailure {
  /// The text in Traditional Chinese.
  package var traditionalChinese: FailureText {
    switch self {
    case .noTerminal:
      FailureText(
        "沒有可以提問的終端機。",
        hint: """
          請使用 ssh -t，或以 --stdin 表示由程式將答案寫入標準輸入。沒有終端機時，輸入的密碼會顯示出來。
          """)
    case .otherAccount(let name):
      FailureText(
        "只有 root 可以為其他帳號（\(name)）使用 mfa-enroll。",
        hint: "若是你自己的帳號，請不要加上 --user。")
    case .unknownAccount(let name):
      FailureText("這部主機上沒有帳號 \(name)。", hint: "請檢查 --user 後面的名稱。")
    case .accountNotNamed(let user):
      FailureText(
        "mfa-enroll 是以 sudo 啟動的，但無法詢問是哪一個帳號。",
        hint: "請使用 --user \(user) 或 --user root。")
    case .accountNotTaken(let name):
      FailureText(
        "這個程序無法以 \(name) 的身分執行。",
        hint: "請以 \(name) 登入，再執行 mfa-enroll。")
    case .processNotProtected:
      FailureText(
        "無法保護這個程序不受你其他程式的影響。",
        hint: "請在允許 prctl(2) 的環境中執行 mfa-enroll。")
    case .usage(let problem):
      FailureText("無法理解這個指令：\(problem)", hint: "查看用法：mfa-enroll --help")
    case .unknownCommand(let name, let meant?):
      FailureText("沒有指令「\(name)」。", hint: "你是不是要輸入：mfa-enroll \(meant)")
    case .unknownCommand(let name, nil):
      FailureText("沒有指令「\(name)」。", hint: "查看所有指令：mfa-enroll --help")
    case .noCode:
      FailureText("沒有輸入驗證碼。未變更任何內容。", hint: "請重新開始。")
    case .nothingAdded:
      FailureText(EnrollMessage.nothingAdded.traditionalChinese, hint: "請重新開始：mfa-enroll")
    case .nothingRemoved:
      FailureText("未移除任何裝置。", hint: "若要移除，請回答 y 或使用 --yes。")
    case .noSuchDevice(let name):
      FailureText("你沒有裝置「\(name)」。", hint: "查看你的裝置：mfa-enroll list")
    case .ambiguousID(let id):
      FailureText(
        "有多個識別碼以「\(id)」開頭。", hint: "請輸入更多字元，或使用名稱。")
    case .noDevice: FailureText("你還沒有裝置。", hint: "新增裝置：mfa-enroll")
    case .severalDevices:
      FailureText("你有多個裝置。", hint: "請指定其中一個：mfa-enroll list")
    case .recoveryCodesNotSaved(let path):
      FailureText(
        "復原碼有效，但無法儲存至 \(path)。",
        hint: "請從畫面上抄下，或釋出空間後再次執行 mfa-enroll recovery-codes --new。")
    case .recoveryCodesNotPrinted:
      FailureText(
        "復原碼有效，但無法列印。",
        hint: "請從畫面上抄下，或再次執行 mfa-enroll recovery-codes --new。")
    case .noPrinter:
      FailureText(
        "這部主機沒有列印程式（lpr 或 lp）。",
        hint: "請用 --save 檔案 儲存復原碼，或從畫面上抄下。")
    case .noOfflineCodes:
      FailureText(
        "此處不接受你的離線復原碼。",
        hint: """
          請向管理員詢問主機群組的名稱並指定：mfa-enroll offline-codes --hosts 群組
          """)
    case .noHomeFolder:
      FailureText("HOME 未指出你的家目錄。", hint: "請指定要匯入的檔案。")
    case .fileNotOpened(let path, let reason):
      FailureText("無法開啟 \(path)（\(reason)）。", hint: "請指定要匯入的檔案。")
    case .notAFile(let path):
      FailureText("\(path) 不是檔案。", hint: "請指定要匯入的檔案。")
    case .writableByOthers(let path):
      FailureText(
        "其他使用者可能更動過 \(path)。", hint: "請用新的金鑰新增裝置：mfa-enroll")
    case .fileNotRead(let path):
      FailureText("無法讀取 \(path)。", hint: "請指定要匯入的檔案。")
    case .importRefused(let reason):
      FailureText(
        "無法匯入這個檔案：\(reason)",
        hint: "未變更任何內容。請用新的金鑰新增裝置：mfa-enroll")
    case .fileNotPrivate(let path):
      FailureText(
        "\(path) 可能會被其他使用者讀取。",
        hint: "請指定位於支援擁有者與權限的磁碟上的檔案，例如家目錄中的檔案。")
    case .fileExists(let path):
      FailureText("\(path) 已存在。", hint: "請指定其他檔案，或刪除這個檔案。")
    case .folderMissing(let path):
      FailureText("\(path) 所在的資料夾不存在。", hint: "請建立資料夾，或指定其他檔案。")
    case .noPermission(let path):
      FailureText("你沒有建立 \(path) 的權限。", hint: "請指定你自己資料夾中的檔案。")
    case .fileNotCreated(let path, let reason):
      FailureText("無法建立 \(path)（\(reason)）。", hint: "請指定其他檔案。")
    case .fileNotWritten(let path, let reason):
      FailureText(
        "無法寫入 \(path)（\(reason)）。未新增任何裝置。",
        hint: "請釋出空間，或指定其他檔案。")
    case .noPicture(let obstacle):
      FailureText(obstacle.traditionalChinese, hint: "不加上 --qr 時，金鑰會以文字顯示。")
    }
  }
}
