public import MFAPAMStack

/// PAM's service files in memory, in the folder `/pam`.
public struct ScriptedStacks: StackSource {
  /// The content of the files, by name.
  public var files = ["other": "account required pam_mfa.so\n"]

  /// Creates a folder that contains only `other`.
  public init() {}

  /// Returns the file with that name.
  public func file(_ name: [UInt8]) throws(StackRefusal) -> StackFile? {
    let name = String(decoding: name, as: UTF8.self)
    return files[name].map {
      StackFile(path: Array("/pam/\(name)".utf8), contents: Array($0.utf8))
    }
  }
}
