import Foundation
import MFATestSupport

/// Command lines of valgrind.
enum Valgrind {
  static let path = "/usr/bin/valgrind"

  static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: path) }

  /// The helper that is counted. valgrind runs no program with a setuid bit.
  private static let countedHelper = "/usr/lib/mfa/mfa-helper.counted"
  /// Where callgrind writes a file for each process.
  private static let counts = "/run/mfa-helper-counts"

  /// Runs `body` while callgrind counts the instructions of each helper that an application of root starts; returns
  /// its result and their sum.
  static func instructionsOfHelpers<Result>(
    on machine: Machine, _ body: () throws(HarnessFailure) -> Result
  ) throws -> (Result, Int) {
    let helper = HelperSession.program
    try Command.succeed(["/usr/bin/install", "-m", "0755", helper, countedHelper])
    try Command.succeed(["/usr/bin/install", "-d", "-o", "mfa", "-m", "0700", counts])
    let aside = helper + ".aside"
    try Command.succeed(["/bin/mv", helper, aside])
    // What the setuid bit does: the caller stays the real user.
    try Command.succeed(
      ["/usr/bin/install", "-m", "0755", "/dev/stdin", helper],
      input: Array(
        """
        #!/usr/bin/python3 -I
        import os, pwd
        user = pwd.getpwnam("mfa")
        os.setgroups([])
        os.setresgid(user.pw_gid, user.pw_gid, user.pw_gid)
        os.setresuid(0, user.pw_uid, user.pw_uid)
        # /usr/bin/valgrind can be a shell script, and a shell gives up the effective user.
        program = "/usr/bin/valgrind.bin"
        os.execv(program if os.path.exists(program) else "/usr/bin/valgrind", [
            "valgrind", "--tool=callgrind", "--callgrind-out-file=\(counts)/%p", "--quiet",
            "\(countedHelper)"])

        """.utf8))
    defer {
      do {
        try Command.succeed(["/bin/mv", aside, helper])
        try Command.succeed(["/bin/rm", "-r", countedHelper, counts])
      } catch {
        print("the helper was not restored: \(error)")
      }
    }
    let result = try body()
    let text = try Command.succeed(["/bin/sh", "-c", "cat \(counts)/*"])
    let totals = text.split(separator: "\n").filter { $0.hasPrefix("totals: ") }
      .compactMap { Int($0.dropFirst("totals: ".count)) }
    return (result, totals.reduce(0, +))
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
