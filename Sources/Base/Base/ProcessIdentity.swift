import MFACPOSIX

/// The user that a process runs as, and whether the process can gain another identity.
package struct ProcessIdentity: Equatable, Sendable {
  /// The user who runs the process (the real user ID).
  package let user: UInt32
  /// Whether the process acts as root (the effective user ID).
  package let actsAsRoot: Bool
  /// Whether programs that the process starts cannot gain another identity, as in a sandbox
  /// (no_new_privs).
  package let isConfined: Bool

  /// Creates an identity.
  package init(user: UInt32, actsAsRoot: Bool, isConfined: Bool) {
    self.user = user
    self.actsAsRoot = actsAsRoot
    self.isConfined = isConfined
  }

  /// The identity of this process.
  package static var current: ProcessIdentity {
    // If the kernel does not answer, the helper later reports that it did not gain its identity.
    ProcessIdentity(
      user: getuid(), actsAsRoot: geteuid() == 0,
      isConfined: cposix_control_process(PR_GET_NO_NEW_PRIVS, 0) == 1)
  }
}

/// The arguments and the environment of this process.
package enum ProcessArguments {
  /// The longest list of arguments that is read, in bytes.
  private static var longest: Int { 4096 }

  /// The arguments, beginning with the program's name. Embedded Swift has no `CommandLine`.
  package static var own: [[UInt8]] {
    let path: StaticString = "/proc/self/cmdline"
    let line = File.contents(at: path.bytes, atMost: longest) ?? []
    return line.dropLast().split(separator: 0, omittingEmptySubsequences: false).map { Array($0) }
  }

  /// The ID of this process, in decimal digits.
  package static var ownNumber: [UInt8] { bytes(of: decimal(Int64(getpid()))) }

  /// Returns a variable of the environment, or nil if it is not set.
  package static func variable(_ name: StaticString) -> [UInt8]? {
    name.withUTF8Buffer { name -> [UInt8]? in
      guard let name = name.baseAddress else { return nil }
      // SAFETY: a literal is NUL-terminated.
      let value = unsafe getenv(UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self))
      // SAFETY: the value is NUL-terminated, and is copied before the environment changes.
      return unsafe value.map { unsafe bytes($0) }
    }
  }
}

/// The standard error of this process.
package enum StandardError {
  /// Writes a text. A failure has no effect.
  package static func write(_ text: StaticString) {
    text.withUTF8Buffer { text in
      // SAFETY: the call reads the bytes of a literal.
      _ = unsafe MFACPOSIX.write(STDERR_FILENO, text.baseAddress, text.count)
    }
  }

  /// Writes a text, as above.
  package static func write(_ text: [UInt8]) {
    // SAFETY: the call reads the bytes of the array, which outlives it.
    _ = unsafe MFACPOSIX.write(STDERR_FILENO, text, text.count)
  }
}

/// The character set of the user who started this process, as far as the environment names it.
package enum ProcessLocale {
  /// Whether the environment's locale name stands for UTF-8. False if there is none.
  ///
  /// The environment belongs to the user, so this must only decide how text is shown. The C library's
  /// locale is that of the application, which may not have read the environment.
  package static var isUTF8: Bool {
    let names: [StaticString] = ["LC_ALL", "LC_CTYPE", "LANG"]
    for name in names {
      // SAFETY: the name ends with a NUL. The variable is copied at once.
      guard let value = unsafe getenv(cString(name.bytes)) else { continue }
      // SAFETY: the variable is NUL-terminated.
      let locale = unsafe bytes(value)
      if !locale.isEmpty { return isUTF8(locale) }
    }
    return false
  }

  /// Returns whether a locale name such as `de_DE.UTF-8@euro` stands for UTF-8.
  static func isUTF8(_ locale: [UInt8]) -> Bool {
    guard let dot = locale.firstIndex(of: UInt8(ascii: ".")) else { return false }
    var letters: [UInt8] = []
    for byte in locale[(dot &+ 1)...] {
      if byte == UInt8(ascii: "@") { break }
      if byte != UInt8(ascii: "-") { letters.append(byte | 0x20) }
    }
    return letters == ("utf8" as StaticString).bytes
  }
}

/// The memory of this process, which can hold secrets.
package enum ProcessMemory {
  /// Disables core dumps of this process, and prevents other processes of the user from tracing it
  /// or reading its memory (PR_SET_DUMPABLE). Returns whether the memory is protected.
  package static func protect() -> Bool {
    do throws(SystemError) {
      try ResourceLimit.coreFile.settle()
      try InheritedAttribute.coreDumps.settle()
      return true
    } catch {
      return false
    }
  }
}

/// The controlling terminal of a process, as the kernel reports it. The open files of a process,
/// and the way it was started, do not prove which terminal it has.
package enum ControllingTerminal {
  /// The name of this process's terminal, such as `pts/3`, or nil if it has none or the lookup
  /// failed.
  package static var name: [UInt8]? {
    guard let process = RunningProcess(getpid()) else { return nil }
    return name(of: process.terminalNumber)
  }

  /// Returns the name of the terminal with this device number, such as `pts/3`, `tty1` or `ttyS0`,
  /// or nil for any other device (admin-guide/devices.txt in the kernel's documentation).
  package static func name(of number: UInt32) -> [UInt8]? {
    // proc_pid_stat(5): the minor number is in bits 31 to 20 and 7 to 0.
    let major = number >> 8 & 0xFFF
    let minor = (number >> 12 & 0xF_FF00) | (number & 0xFF)
    return switch (major, minor) {
    case (136, _): named("pts/", minor)
    case (4, 0..<64): named("tty", minor)
    case (4, 64..<256): named("ttyS", minor &- 64)
    case (_, _): nil
    }
  }

  private static func named(_ prefix: StaticString, _ number: UInt32) -> [UInt8] {
    prefix.bytes + bytes(of: decimal(Int64(number)))
  }
}
