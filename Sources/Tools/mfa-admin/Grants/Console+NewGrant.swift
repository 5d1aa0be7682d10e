import MFAAdmin

extension Console {
  /// Prints a new grant, with its code.
  static func write(_ made: NewGrantReport, asJSON: Bool) throws(AdminError) {
    let code = made.code.value.written()
    if asJSON {
      let text = JSON.object(made.report.members + [("code", .string(""))]).text
      // The code comes last, between the two quotation marks of an empty string.
      try write(String(text.dropLast(3)))
      try write(secret: code)
      try write("\"\n}\n")
    } else {
      try write(secret: code)
      try write("\n")
      try write(made.explanation)
    }
    if let warning = made.warning { printError("warning: \(warning)") }
  }
}
