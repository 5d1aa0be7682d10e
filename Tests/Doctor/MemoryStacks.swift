import MFAPAMStack

/// Service files in memory, in the folder `/pam`.
struct MemoryStacks: StackSource {
  var files: [String: String] = [:]

  func file(_ name: [UInt8]) throws(StackRefusal) -> StackFile? {
    let name = String(decoding: name, as: UTF8.self)
    return files[name].map {
      StackFile(path: Array("/pam/\(name)".utf8), contents: Array($0.utf8))
    }
  }
}
