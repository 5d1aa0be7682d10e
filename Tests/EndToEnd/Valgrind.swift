import Foundation
import MFATestSupport

/// Command lines of valgrind.
enum Valgrind {
  static let path = "/usr/bin/valgrind"

  static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: path) }

  /// Runs `body` with the command that counts instructions in the module's `auth` function; returns
  /// its result and callgrind's output.
  static func callgrind<Result>(
    on machine: Machine, _ body: ([String]) throws(HarnessFailure) -> Result
  ) throws -> (Result, String) {
    let path = machine.folder + "/callgrind.out"
    let result = try body([
      Self.path, "--tool=callgrind", "--callgrind-out-file=\(path)",
      "--toggle-collect=pam_sm_authenticate", "--quiet",
    ])
    let text = String(decoding: machine.contents(of: path) ?? [], as: UTF8.self)
    return (result, text)
  }

  /// Runs `body` with the command that records the instructions that the module's `auth` and
  /// `account` functions execute, and returns the addresses of those in the file whose path ends in
  /// `name`. Addresses are relative to the beginning of the file.
  static func executedAddresses(
    in name: String, on machine: Machine, _ body: ([String]) throws -> Void
  ) throws -> Set<Int> {
    let path = machine.folder + "/addresses.out"
    try body([
      Self.path, "--tool=callgrind", "--callgrind-out-file=\(path)",
      "--toggle-collect=pam_sm_authenticate", "--toggle-collect=pam_sm_acct_mgmt",
      "--dump-instr=yes", "--compress-pos=no", "--compress-strings=no", "--quiet",
    ])
    var addresses: Set<Int> = []
    var isInFile = false
    for line in String(decoding: machine.contents(of: path) ?? [], as: UTF8.self)
      .utf8.split(separator: UInt8(ascii: "\n"))
    {
      if line.starts(with: "ob=".utf8) {
        isInFile = line.suffix(name.utf8.count).elementsEqual(name.utf8)
      } else if isInFile, line.starts(with: "0x".utf8),
        let number = line.split(separator: UInt8(ascii: " ")).first,
        let address = Int(String(decoding: number.dropFirst(2), as: UTF8.self), radix: 16)
      {
        addresses.insert(address)
      }
    }
    return addresses
  }

  /// Runs `body` with the command that checks every memory access. Returns its result and
  /// memcheck's findings, which should be empty. Memory that libcrypto and libpam keep until the
  /// process ends is still reachable and therefore no leak, so nothing has to be suppressed.
  static func memcheck<Result>(
    on machine: Machine, _ body: ([String]) throws(HarnessFailure) -> Result
  ) throws -> (Result, String) {
    let path = machine.folder + "/memcheck.out"
    let result = try body([
      Self.path, "--tool=memcheck", "--log-file=\(path)", "--quiet", "--leak-check=full",
      "--show-leak-kinds=definite,indirect,possible", "--errors-for-leak-kinds=definite,possible",
      "--child-silent-after-fork=yes",
    ])
    let text = String(decoding: machine.contents(of: path) ?? [], as: UTF8.self)
    return (result, text)
  }
}
