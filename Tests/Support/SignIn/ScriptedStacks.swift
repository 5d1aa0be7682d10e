import MFAPAMStack

/// PAM's service files in memory, in the folder `/pam`.
package struct ScriptedStacks: StackSource {
  /// The content of the files, by name.
  package var files = ["other": "account required pam_mfa.so\n"]

  /// Creates a folder that contains only `other`.
  package init() {}

  /// Returns the file with that name.
  package func file(_ name: [UInt8]) throws(StackRefusal) -> StackFile? {
    let name = String(decoding: name, as: UTF8.self)
    return files[name].map {
      StackFile(path: Array("/pam/\(name)".utf8), contents: Array($0.utf8))
    }
  }
}
