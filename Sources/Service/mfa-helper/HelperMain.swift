import MFACPOSIX
import MFADecider

@main
enum HelperMain {
  static func main() { exit(HelperProgram.run()) }
}
