import MFACPOSIX
import MFAHelper

@main
enum HelperMain {
  static func main() { exit(HelperProgram.run()) }
}
