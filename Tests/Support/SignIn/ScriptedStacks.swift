public import PAMStack

/// PAM's service files in memory, in the folder `/pam`.
public struct ScriptedStacks: StackSource {
  /// What the files hold, by their names.
  public var files = ["other": "account required pam_mfa.so\n"]

  /// Nothing but `other`.
  public init() {}

  /// The file of that name.
  public func file(_ name: [UInt8]) throws(StackRefusal) -> StackFile? {
    let name = String(decoding: name, as: UTF8.self)
    return files[name].map {
      StackFile(path: Array("/pam/\(name)".utf8), contents: Array($0.utf8))
    }
  }
}
