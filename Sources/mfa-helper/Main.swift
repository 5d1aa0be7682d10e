import CPOSIX
import Helper

@main
enum Main {
  static func main() { exit(HelperProgram.run()) }
}
