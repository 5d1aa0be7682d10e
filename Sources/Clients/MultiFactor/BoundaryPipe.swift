import MFACSpawn
import Glibc

/// A pipe whose ends are not inherited and are not standard streams. A program that has closed its
/// standard streams can therefore start a helper like any other program.
struct Pipe: ~Copyable {
  private(set) var readEnd: Int32
  private(set) var writeEnd: Int32

  static func make() throws(MultiFactorError) -> Pipe {
    var ends: [Int32] = [-1, -1]
    // SAFETY: the call writes two descriptors to the array.
    guard unsafe cspawn_pipe(&ends, O_CLOEXEC) == 0 else {
      throw .helperUnavailable(errorNumber: cspawn_errno())
    }
    var pipe = Pipe(readEnd: ends[0], writeEnd: ends[1])
    pipe.readEnd = try raised(pipe.readEnd)
    pipe.writeEnd = try raised(pipe.writeEnd)
    return pipe
  }

  private init(readEnd: Int32, writeEnd: Int32) {
    self.readEnd = readEnd
    self.writeEnd = writeEnd
  }

  deinit {
    if readEnd >= 0 { close(readEnd) }
    if writeEnd >= 0 { close(writeEnd) }
  }

  consuming func takeReadEnd() -> Int32 {
    let end = readEnd
    readEnd = -1
    return end
  }

  consuming func takeWriteEnd() -> Int32 {
    let end = writeEnd
    writeEnd = -1
    return end
  }

  private static func raised(_ descriptor: Int32) throws(MultiFactorError) -> Int32 {
    guard descriptor <= STDERR_FILENO else { return descriptor }
    let raised = cspawn_duplicate(descriptor, STDERR_FILENO + 1)
    guard raised >= 0 else { throw .helperUnavailable(errorNumber: cspawn_errno()) }
    close(descriptor)
    return raised
  }
}
