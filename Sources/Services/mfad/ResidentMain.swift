import MFACPOSIX
import MFAResident

@main
enum ResidentMain {
  static func main() { exit(ResidentProgram.run()) }
}
