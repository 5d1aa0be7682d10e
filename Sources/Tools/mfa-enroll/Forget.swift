import ArgumentParser
import MultiFactor

/// `mfa-enroll forget`.
struct Forget: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Has the next sign-in ask for a code, from everywhere.",
    discussion: """
      Where the administrator has codes remembered, you are not asked again for a while from where you \
      gave one. This ends that, for every place.
      """)

  func run() async throws {
    let interface = UserInterface()
    let multiFactor = MultiFactor(tell: interface.tell)
    do throws(MultiFactorError) {
      let places = try await multiFactor.clearRememberedSignIns()
      await multiFactor.close()
      Output.standardOutput.write(Self.text(places) + "\n")
    } catch {
      throw Failure(error)
    }
  }

  static func text(_ places: Int) -> String {
    switch places {
    case 0: "no code was remembered"
    case 1: "the code from 1 place is forgotten: the next sign-in asks for one"
    default: "the codes from \(places) places are forgotten: the next sign-in asks for one"
    }
  }
}
