import MFATestSupport

/// The functions of the module, and the trap instructions in each of them.
struct ModuleCode {
  /// A function and the number of trap instructions (`ud2`, `brk`) in it.
  struct Function {
    /// The symbol, in the form that `swift demangle` reads.
    let name: String
    /// The address of the first instruction.
    let start: Int
    var traps = 0
  }

  /// The functions in the order of their addresses.
  private var functions: [Function] = []

  /// Disassembles a file that has the names of its functions.
  init(of path: String) throws {
    let code = try Command.succeed(["/usr/bin/objdump", "-d", "--no-show-raw-insn", path])
    for line in code.utf8.split(separator: UInt8(ascii: "\n")) {
      if line.last == UInt8(ascii: ":"), let end = line.firstIndex(of: UInt8(ascii: " ")),
        let start = Int(String(decoding: line[..<end], as: UTF8.self), radix: 16)
      {
        // Embedded Swift begins its symbols with $e instead of $s.
        let name = String(decoding: line[end...].dropFirst(2).dropLast(2), as: UTF8.self)
        functions.append(
          Function(name: name.hasPrefix("$e") ? "$s" + name.dropFirst(2) : name, start: start))
      } else if Self.isTrap(line), !functions.isEmpty {
        functions[functions.count - 1].traps += 1
      }
    }
  }

  private static func isTrap(_ line: Substring.UTF8View.SubSequence) -> Bool {
    let parts = line.split(separator: UInt8(ascii: "\t"))
    guard parts.count > 1 else { return false }
    return parts[1].starts(with: "ud2".utf8) || parts[1].elementsEqual("brk".utf8)
  }

  /// The number of traps in all functions.
  var traps: Int { functions.reduce(0) { $0 + $1.traps } }

  /// Returns the functions that contain at least one of the addresses, those with the most traps
  /// first.
  func functions(at addresses: Set<Int>) -> [Function] {
    var found: [Function] = []
    let sorted = addresses.sorted()
    var next = sorted.startIndex
    for (index, function) in functions.enumerated() {
      let end = index + 1 < functions.count ? functions[index + 1].start : Int.max
      while next < sorted.endIndex, sorted[next] < function.start { next += 1 }
      if next < sorted.endIndex, sorted[next] < end { found.append(function) }
    }
    return found.sorted { $0.traps > $1.traps }
  }
}
