import ArgumentParser
import MFAAdmin

/// `mfa-admin break-glass`
struct BreakGlassCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "break-glass",
    abstract: "Prepare a code for the time in which the store cannot be used.",
    discussion: """
      While the file system of the store is read-only or broken, no code of a factor can be verified. \
      The users that this command names then sign in with the break-glass code in its place, at \
      services that root runs. The code is printed once: keep it on paper. Each call makes a new code.

      \(AdminStatus.explanation)
      """)

  @Flag(help: "Remove the code.")
  var remove = false

  @Argument(help: ArgumentHelp("The users who may use the code.", valueName: "user"))
  var users: [String] = []

  func validate() throws {
    guard remove == users.isEmpty else {
      throw ValidationError(
        remove ? "--remove takes no users" : "name the users who may use the code, or use --remove")
    }
  }

  func run() throws(AdminError) {
    try ThisHost.requireRoot()
    guard !remove else {
      let wasThere = try BreakGlassCode.remove()
      if wasThere { BreakGlassCode.log("break-glass-removed", users: []) }
      return try Console.write(
        wasThere ? "the break-glass code is removed\n" : "there was no break-glass code\n")
    }
    var names: [[UInt8]] = []
    for user in users { names.append(try BreakGlassCode.name(of: user)) }
    let (administration, _) = try ThisHost.administration(needsConfiguration: false)
    let code = try BreakGlassCode.make(for: names) { () throws(AdminError) in
      try administration.enterBreakGlass(for: names)
    }
    BreakGlassCode.log("break-glass-made", users: names)
    try Console.write(secret: code)
    try Console.write("\n")
    Console.printError(
      "the code is not shown again, and is valid until another one is made: make one after each use"
    )
  }
}
