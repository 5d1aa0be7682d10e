import ArgumentParser
import MFAAdmin

/// The arguments of the commands that change what is stored for one user.
struct UserChangeOptions: ParsableArguments {
  @Flag(help: "Kill any process that blocks this command by holding a lock for too long.")
  var endHolder = false

  @Flag(help: "Print JSON, for programs; times are in UTC, in ISO 8601 format.")
  var json = false

  @Argument(help: "The user's name.")
  var user: String

  /// Makes a change, and handles locks that another process holds for too long.
  func change<Result: ~Copyable>(
    _ body: (_ user: String) throws(AdminError) -> Result
  ) throws(AdminError) -> Result {
    try LockedStore.run(ending: endHolder) { () throws(AdminError) in try body(user) }
  }

  /// Prints the result of a change.
  func write(_ report: JSON, _ sentence: String) throws(AdminError) {
    try Console.write((json ? report.text : sentence) + "\n")
  }
}
